#include "cli/models_import.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "base/escape.h"
#include "costmodels/uops_info.h"

static const char usage[] = "usage: itrace models import INSTRUCTIONS.XML --arch ARCH [-o NAME.cost]\n";

struct options {
	const char *file, *architecture, *output;
};

static int fail(const struct error *err)
{
	char *text = escape_text(err->text, ESCAPE_FOR_TERMINAL);

	fprintf(stderr, "itrace: %s\n", text);
	free(text);
	return error_exit_status(err);
}

/* The value of an option, "--arch SKL" or "--arch=SKL"; NULL if this is another word or has no value. */
static const char *option_value(const char *option, int argc, char **argv, int *i)
{
	size_t n = strlen(option);

	if (strncmp(argv[*i], option, n) != 0)
		return NULL;
	if (argv[*i][n] == '=' && n > 2)
		return argv[*i] + n + 1;
	return !argv[*i][n] && *i + 1 < argc ? argv[++*i] : NULL;
}

static bool parse(int argc, char **argv, struct options *options)
{
	*options = (struct options){0};
	for (int i = 1; i < argc; i++) {
		const char *architecture = option_value("--arch", argc, argv, &i);
		const char *output = architecture ? NULL : option_value("-o", argc, argv, &i);

		if (architecture)
			options->architecture = architecture;
		else if (output)
			options->output = output;
		else if (argv[i][0] == '-' || options->file)
			return false;
		else
			options->file = argv[i];
	}
	return options->file && options->architecture;
}

/* The model is called like its file, or like the architecture. */
static char *model_name_of(const struct options *options)
{
	const char *slash = options->output ? strrchr(options->output, '/') : NULL;
	const char *base = slash ? slash + 1 : options->output;
	size_t n;
	char *name;

	if (!base) {
		name = xstrdup(options->architecture);
		for (char *at = name; *at; at++)
			*at = (char)tolower((unsigned char)*at);
		return name;
	}
	n = strlen(base);
	return xasprintf("%.*s", (int)(n > 5 && strcmp(base + n - 5, ".cost") == 0 ? n - 5 : n), base);
}

static bool check_name(const char *name, struct error *err)
{
	const char *at = name;

	while (isalnum((unsigned char)*at) || (*at && strchr("._+-", *at)))
		at++;
	if (*name && !*at)
		return true;
	return error_set(err, ERROR_USAGE, "the model would be named '%.80s': may have letters, digits and . _ + -",
			 name);
}

/* Under another name first, so that there never is half a model. */
static bool import_to_file(const struct options *options, const char *name, struct uops_info_counts *counts,
			   struct error *err)
{
	char *part = xasprintf("%s.part", options->output);
	FILE *out = fopen(part, "wxe");
	bool ok = false;

	if (!out) {
		error_set_errno(err, ERROR_ENVIRONMENT, "cannot write %s", part);
		free(part);
		return false;
	}
	ok = uops_info_import(options->file, options->architecture, name, out, counts, err);
	if (fclose(out) != 0 && ok)
		ok = error_set_errno(err, ERROR_ENVIRONMENT, "cannot write %s", part);
	if (ok && rename(part, options->output) != 0)
		ok = error_set_errno(err, ERROR_ENVIRONMENT, "cannot write %s", options->output);
	if (!ok)
		unlink(part);
	free(part);
	return ok;
}

int command_models_import(int argc, char **argv)
{
	struct options options;
	struct uops_info_counts counts;
	struct error err = {0};
	char *name;
	bool ok;

	if (!parse(argc, argv, &options)) {
		fputs(usage, stderr);
		return 125;
	}
	name = model_name_of(&options);
	ok = check_name(name, &err);
	if (ok && options.output)
		ok = import_to_file(&options, name, &counts, &err);
	else if (ok)
		ok = uops_info_import(options.file, options.architecture, name, stdout, &counts, &err);
	free(name);
	if (!ok)
		return fail(&err);
	fprintf(stderr, "%zu forms; left out: %zu measurements of the same form, %zu instructions without a form\n",
		counts.n_rows, counts.n_twice, counts.n_no_form);
	return 0;
}
