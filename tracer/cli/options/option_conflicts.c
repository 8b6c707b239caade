#include <string.h>

#include "cli/options/option.h"

/* Finds an option's row. If the command does not take the option, a row of another command has the same offsets. */
static const struct option_row *find_row(enum command command, const char *name)
{
	const struct option_row *row = option_row_find(command, name);

	for (int other = 0; !row && other < N_COMMANDS; other++)
		row = option_row_find((enum command)other, name);
	return row;
}

/* Cuts the term at '='. */
static bool term_holds(char *term, const struct options *options, const struct option_marks *marks)
{
	bool is_negated = *term == '!';
	char *value = term + is_negated, *name = strsep(&value, "=");
	const struct option_row *row = find_row(options->command, name);

	return (value ? option_has_value(row, options, value) : marks->set[row - option_rows]) != is_negated;
}

/* Returns the first rule that is broken; NULL: none. */
static const struct option_rule *find_broken(const struct option_rule rules[OPTION_MAX_RULES],
					     const struct options *options, const struct option_marks *marks)
{
	for (size_t i = 0; i < OPTION_MAX_RULES && rules[i].condition; i++) {
		char copy[OPTION_MAX_CONDITION], *words = strcpy(copy, rules[i].condition), *word, *term;

		while ((word = strsep(&words, " "))) {
			bool holds = false;

			while ((term = strsep(&word, "|")))
				holds |= term_holds(term, options, marks);
			if (!holds)
				return &rules[i];
		}
	}
	return NULL;
}

bool option_check_conflicts(const struct options *options, const struct option_marks *marks, struct error *err)
{
	bool is_saved = options->profile_path && options->command == COMMAND_ANNOTATE;

	for (size_t i = 0; i < n_option_rows; i++) {
		const struct option_row *row = &option_rows[i];
		const struct option_rule *broken = NULL;

		if (marks->given[i] && is_saved && !(row->commands & COMMAND_BIT_SAVED))
			return error_set(err, ERROR_USAGE, "--%s is for running a program, and %.400s is a saved run",
					 row->name, options->profile_path);
		if (marks->set[i])
			broken = find_broken(row->allowed_if, options, marks);
		if (marks->given[i] && !broken)
			broken = find_broken(row->useful_if, options, marks);
		if (broken)
			return error_set(err, ERROR_USAGE, "--%s %s", row->name, broken->sentence);
	}
	return true;
}
