#include "cli/terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The locale is that of the environment, as itrace itself runs in "C". */
static bool is_ascii(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", NULL);
	bool is_utf8 = locale && strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;

	if (locale)
		freelocale(locale);
	return !is_utf8;
}

void terminal_fit(FILE *out, struct report_options *options)
{
	const char *columns = getenv("COLUMNS"), *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	struct winsize size;

	options->is_ascii = is_ascii();
	if (!out || !isatty(fileno(out)))
		return;
	options->color = (!no_color || !*no_color) && !(term && strcmp(term, "dumb") == 0);
	if (columns && atoi(columns) > 0)
		options->width = (unsigned)atoi(columns);
	else if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0)
		options->width = size.ws_col;
}
