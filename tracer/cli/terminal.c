#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void terminal_fit(FILE *out, struct report_options *options)
{
	const char *columns = getenv("COLUMNS"), *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	struct winsize size;

	if (!isatty(fileno(out)))
		return;
	options->color = (!no_color || !*no_color) && !(term && strcmp(term, "dumb") == 0);
	if (columns && atoi(columns) > 0)
		options->width = (unsigned)atoi(columns);
	else if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0)
		options->width = size.ws_col;
}
