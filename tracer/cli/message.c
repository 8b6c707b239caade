#include "cli/message.h"

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

int message_end_output(void)
{
	struct error err = {0};

	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	error_set_errno(&err, ERROR_ENVIRONMENT, "cannot write the output");
	return message_error(&err);
}
