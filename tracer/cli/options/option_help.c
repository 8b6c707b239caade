#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/options/option.h"

enum { WIDTH = 80, HELP_COLUMN = 24 };

/* Writes words from `column` on; further lines are indented. */
static void write_wrapped(FILE *out, const char *text, int column, int indent)
{
	int at = column;

	while (*text) {
		int n = (int)strcspn(text, " ");

		if (at > indent && at + 1 + n > WIDTH) {
			fprintf(out, "\n%*s", indent, "");
			at = indent;
		} else if (at > indent) {
			fputc(' ', out);
			at++;
		}
		fprintf(out, "%.*s", n, text);
		at += n;
		text += n;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}

/* "  -m, --model A,B,C" or "      --trace[=FILE]" */
static char *label_of(const struct option_row *row)
{
	char letter[] = "    ";
	const char *before = row->is_optional ? "[=" : " ", *after = row->is_optional ? "]" : "";

	if (row->letter)
		snprintf(letter, sizeof(letter), "-%c, ", row->letter);
	return row->placeholder ? xasprintf("  %s--%s%s%s%s", letter, row->name, before, row->placeholder, after)
				: xasprintf("  %s--%s", letter, row->name);
}

static char *text_of(const struct option_row *row)
{
	char *choices = row->n_choices ? option_list_choices(row) : xstrdup("");
	const char *help = row->help ? row->help : "";
	char *text = xasprintf("%s%s%s%s%s%s", help, *help && *choices ? " " : "", choices,
			       row->default_value ? " [" : "", row->default_value ? row->default_value : "",
			       row->default_value ? "]" : "");

	free(choices);
	return text;
}

static void write_row(FILE *out, const struct option_row *row)
{
	char *label = label_of(row), *text = text_of(row);
	int n = (int)strlen(label);

	fputs(label, out);
	if (n >= HELP_COLUMN) {
		fputc('\n', out);
		n = 0;
	}
	fprintf(out, "%*s", HELP_COLUMN - n, "");
	write_wrapped(out, text, HELP_COLUMN, HELP_COLUMN);
	free(label);
	free(text);
}

void option_write_help(FILE *out, enum command command)
{
	const struct command_row *self = &command_rows[command];

	fprintf(out, "Usage: %s\n", self->usage);
	write_wrapped(out, self->purpose, 0, 0);
	for (size_t i = 0; i < n_option_rows; i++) {
		const struct option_row *row = &option_rows[i];

		if (!(row->commands & COMMAND_BIT(command)))
			continue;
		if (row->name && (row->help || row->n_choices))
			write_row(out, row);
		else if (!row->name) {
			fputc('\n', out);
			if (*row->help)
				write_wrapped(out, row->help, 0, 0);
		}
	}
	if (self->has_variables)
		fputs("\nITRACE_<OPTION> sets the default of an option, as in ITRACE_MODEL=zen4.", out);
	fputc('\n', out);
	write_wrapped(out, self->status, 0, 0);
}
