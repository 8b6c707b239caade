#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/edit_distance.h"
#include "base/escape.h"
#include "cli/options/option.h"

/* Long enough for the names of all commands, or of options that begin alike. */
struct name_list {
	char text[256];
	size_t n_names;
};

static void add_name(struct name_list *list, const char *separator, const char *format, const char *name)
{
	size_t used = strlen(list->text);

	if (list->n_names++)
		used += (size_t)snprintf(list->text + used, sizeof(list->text) - used, "%s", separator);
	if (used < sizeof(list->text))
		snprintf(list->text + used, sizeof(list->text) - used, format, name);
}

static bool refuse_long(enum command command, const char *argument, struct error *err)
{
	const char *words = command_rows[command].words;
	struct name_list meant = {0}, others = {0};
	struct edit_nearest nearest = {0};
	char name[MAX_OPTION_NAME + 1];

	if (strlen(argument) > MAX_OPTION_NAME)
		return error_set(err, ERROR_USAGE, "unknown option %.80s; try '%s --help'", argument, words);
	strcpy(name, argument + 2);
	name[strcspn(name, "=")] = '\0';
	for (size_t i = 0; i < n_option_rows; i++) {
		const struct option_row *row = &option_rows[i];

		if (!option_row_is_of(row, command))
			continue;
		if (strncmp(row->name, name, strlen(name)) == 0)
			add_name(&meant, " or ", "--%s", row->name);
		edit_nearest_offer(&nearest, name, row->name);
	}
	for (int other = 0; other < N_COMMANDS; other++)
		if (option_row_find((enum command)other, name))
			add_name(&others, ", ", "'%s'", command_rows[other].words);
	if (meant.n_names)
		return error_set(err, ERROR_USAGE, "--%s is ambiguous: it may mean %s", name, meant.text);
	if (others.n_names)
		return error_set(err, ERROR_USAGE, "'%s' has no option --%s; these have: %s", words, name, others.text);
	if (nearest.name)
		return error_set(err, ERROR_USAGE, "unknown option --%s; did you mean --%s?", name, nearest.name);
	return error_set(err, ERROR_USAGE, "unknown option --%s; try '%s --help'", name, words);
}

bool option_refuse(enum command command, int found, const char *argument, struct error *err)
{
	const char *words = command_rows[command].words;

	if (found == ':' && strncmp(argument, "--", 2) == 0)
		return error_set(err, ERROR_USAGE, "%s needs a value; try '%s --help'", argument, words);
	if (found == ':')
		return error_set(err, ERROR_USAGE, "-%c needs a value; try '%s --help'", optopt, words);
	/* getopt_long leaves 0 for a long option that it does not know, and the code of a flag that got a value. */
	if (!optopt)
		return refuse_long(command, argument, err);
	if (optopt >= OPTION_FIRST_LONG)
		return error_set(err, ERROR_USAGE, "--%s takes no value", option_rows[optopt - OPTION_FIRST_LONG].name);
	return error_set(err, ERROR_USAGE, "unknown option -%c; try '%s --help'", optopt, words);
}

static void warn_of_variable(const char *name)
{
	char variables[MAX_OPTION_ROWS][MAX_OPTION_NAME + 1], *shown;
	struct edit_nearest nearest = {0};

	for (size_t i = 0; i < n_option_rows; i++) {
		if (!option_rows[i].name)
			continue;
		option_row_variable(&option_rows[i], variables[i]);
		if (strcmp(name, variables[i]) == 0)
			return;
		edit_nearest_offer(&nearest, name, variables[i]);
	}
	shown = escape_text(name, ESCAPE_FOR_TERMINAL);
	fprintf(stderr, "itrace: warning: the environment sets %s, which is no option and is ignored", shown);
	if (nearest.name)
		fprintf(stderr, "; did you mean %s?", nearest.name);
	fputc('\n', stderr);
	free(shown);
}

void option_warn_of_variables(void)
{
	for (char **variable = environ; *variable; variable++) {
		char *name = xasprintf("%.*s", (int)strcspn(*variable, "="), *variable);

		/* costmodels/model/model_path.c looks for models where ITRACE_MODEL_PATH says. */
		if (strncmp(name, "ITRACE_", 7) == 0 && strcmp(name, "ITRACE_MODEL_PATH") != 0)
			warn_of_variable(name);
		free(name);
	}
}
