#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/escape.h"
#include "base/path.h"
#include "cli/commands.h"
#include "cli/message.h"
#include "cli/tracing/session.h"
#include "source/symbolize.h"
#include "source/text.h"
#include "savefile/savefile.h"

struct saving {
	const char *path; /* with %p for the process ID */
	bool is_one_of_many;
};

static void print_saved(const struct saving *saving, const struct profile *profile, const char *path)
{
	bool is_named = saving->is_one_of_many && profile->argv && profile->argv[0];
	char *name = escape_text(is_named ? path_file_name(profile->argv[0]) : "", ESCAPE_FOR_TERMINAL);
	char *shown = escape_text(path, ESCAPE_FOR_TERMINAL);

	fprintf(stderr, "itrace: saved%s%s; 'itrace report %s' shows it\n", is_named ? " " : "", name, shown);
	free(name);
	free(shown);
}

/* Adds all names and lines first, because the report may be made on another machine. */
static bool save_process(void *context, struct profile *profile, struct source *source)
{
	const struct saving *saving = context;
	char *path = path_expand_pid(saving->path, profile->pid);
	struct error err = {0};
	bool is_saved;

	symbolize_functions(profile, source);
	symbolize_lines(profile, source);
	source_texts_record(profile);
	is_saved = savefile_write(profile, path, &err);
	if (is_saved) {
		print_saved(saving, profile, path);
	} else {
		message_error(&err);
	}
	free(path);
	return is_saved;
}

/* Reports before a long run that it could not be saved. */
static bool check_path(const struct options *options, const char *path, struct error *err)
{
	char *expanded;
	bool ok;

	if (options->follow && !strstr(path, "%p"))
		return error_set(
			err, ERROR_USAGE,
			"--output %s: --follow saves each process in a file of its own; put %%p, the process ID, "
			"into the name",
			path);
	expanded = path_expand_pid(path, (int32_t)getpid());
	ok = savefile_check_path(expanded, err);
	free(expanded);
	return ok;
}

static char *make_path(const struct options *options)
{
	if (options->output_path)
		return xstrdup(options->output_path);
	if (options->pid)
		return xstrdup("%p.itrace");
	return xasprintf(options->follow ? "%s.%%p.itrace" : "%s.itrace", path_file_name(options->arguments[0]));
}

int command_record(const struct options *options)
{
	char *path = make_path(options);
	struct saving saving = {.path = path, .is_one_of_many = options->follow};
	const struct session_plan plan = {
		.options = options,
		.wants_calls = !options->no_calls,
		.wants_edges = true, /* a later report may use a model that needs them */
		.take_profile = save_process,
		.context = &saving,
	};
	struct session session;
	struct error err = {0};
	int status;

	if (!check_path(options, path, &err))
		status = message_error(&err);
	else if (session_run(&session, &plan, &status))
		status = session_end(&session, true);
	free(path);
	return status;
}
