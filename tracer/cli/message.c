#include "cli/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

int message_error(const struct error *err)
{
	char *text = escape_text(err->text, ESCAPE_FOR_TERMINAL);

	fprintf(stderr, "itrace: %s\n", text);
	free(text);
	return error_exit_status(err);
}

void message_killed(int signal)
{
	const char *name = sigabbrev_np(signal);

	if (name)
		fprintf(stderr, "itrace: the program was killed by SIG%s\n", name);
	else
		fprintf(stderr, "itrace: the program was killed by signal %d\n", signal);
}

int message_end_output(void)
{
	struct error err = {0};

	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	error_set_errno(&err, ERROR_ENVIRONMENT, "cannot write the output");
	return message_error(&err);
}
