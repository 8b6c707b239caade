#include "commands/message.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/escape.h"

int message_error(const struct error *err)
{
	char *text = escape_text(err->text, ESCAPE_FOR_TERMINAL);

	fprintf(stderr, "itrace: %s\n", text);
	free(text);
	return error_exit_status(err);
}
