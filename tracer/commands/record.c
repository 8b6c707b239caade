#include "commands/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/escape.h"
#include "commands/locate.h"
#include "commands/message.h"
#include "commands/options.h"
#include "commands/symbolize.h"
#include "commands/tracing.h"
#include "profile/file.h"

/* Nothing of the machine that it ran on is needed later. */
static bool save(void *context, struct profile *profile, struct source *source)
{
	const char *path = context;
	struct error err = {0};
	char *shown;

	symbolize_all(profile, source);
	locate_all(profile, source);
	if (!profile_save(profile, path, &err)) {
		message_error(&err);
		return false;
	}
	shown = escape_text(path, ESCAPE_FOR_TERMINAL);
	fprintf(stderr, "itrace: saved; 'itrace report %s' shows it\n", shown);
	free(shown);
	return true;
}

static char *default_path(const struct options *options)
{
	const char *program, *slash;

	if (options->pid)
		return xasprintf("%d.itrace", (int)options->pid);
	program = options->program[0];
	slash = strrchr(program, '/');
	return xasprintf("%s.itrace", slash ? slash + 1 : program);
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
		/* A run may take long: what can fail now should. */
		if (profile_save_check(path, &err))
			status = tracing_run(&options, save, path);
		else
			status = message_error(&err);
		free(path);
	}
	options_deinit(&options);
	return status;
}
