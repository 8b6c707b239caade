#include "cli/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/escape.h"
#include "base/path.h"
#include "cli/message.h"
#include "cli/options/options.h"
#include "cli/options/output_path.h"
#include "cli/tracing/tracing.h"
#include "savefile/savefile.h"
#include "source/symbolize.h"
#include "source/text.h"

/* Nothing of the machine that it ran on is needed later. */
static bool save(void *context, struct profile *profile, struct source *source)
{
	char *path = output_path_expand(context, profile->pid), *shown;
	struct error err = {0};
	bool is_saved;

	symbolize_functions(profile, source);
	symbolize_lines(profile, source);
	source_texts_record(profile);
	is_saved = savefile_write(profile, path, &err);
	if (is_saved) {
		shown = escape_text(path, ESCAPE_FOR_TERMINAL);
		fprintf(stderr, "itrace: saved; 'itrace report %s' shows it\n", shown);
		free(shown);
	} else {
		message_error(&err);
	}
	free(path);
	return is_saved;
}

static bool end_saving(void *context)
{
	(void)context;
	return true;
}

/* What fails while it can be told early. */
static bool check_path(const struct options *options, const char *path, struct error *err)
{
	char *expanded;
	bool ok;

	if (options->follow && !strstr(path, "%p"))
		return error_set(
			err, ERROR_USAGE,
			"-o %s: each process that -f follows is saved in a file of its own; put %%p for its ID "
			"in the name",
			path);
	expanded = output_path_expand(path, (int32_t)getpid());
	ok = savefile_check_path(expanded, err);
	free(expanded);
	return ok;
}

static char *default_path(const struct options *options)
{
	if (options->pid)
		return xstrdup("%p.itrace");
	return xasprintf(options->follow ? "%s.%%p.itrace" : "%s.itrace", path_file_name(options->program[0]));
}

int command_record(int argc, char **argv)
{
	struct options options;
	struct error err = {0};
	int status;

	if (options_read(&options, COMMAND_RECORD, argc, argv, &status)) {
		char *path = options.output_path ? xstrdup(options.output_path) : default_path(&options);

		/* Whatever the models that will be asked about. */
		options.want_edges = true;
		options.calls |= !options.no_calls;
		/* A run may take long: what can fail now should. */
		if (check_path(&options, path, &err))
			status = tracing_run(&options, save, end_saving, path);
		else
			status = message_error(&err);
		free(path);
	}
	options_deinit(&options);
	return status;
}
