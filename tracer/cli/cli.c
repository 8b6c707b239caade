#include "cli/commands.h"

static int command_annotate(const struct options *options)
{
	return options->profile_path ? command_report(options) : command_run(options);
}

static int (*const commands[N_COMMANDS])(const struct options *options) = {
	[COMMAND_RUN] = command_run,	    [COMMAND_RECORD] = command_record,	   [COMMAND_REPORT] = command_report,
	[COMMAND_COMPARE] = command_report, [COMMAND_ANNOTATE] = command_annotate, [COMMAND_MODELS] = command_models,
	[COMMAND_BLOCK] = command_block,    [COMMAND_SAMPLE] = command_sample,	   [COMMAND_MEASURE] = command_measure,
};

int cli_run(int argc, char **argv)
{
	enum command command = argc > 1 ? command_find(argv[1]) : COMMAND_RUN;
	int n_skipped = command == COMMAND_RUN ? 0 : 1; /* "itrace", where argv[1] is the command */
	struct options options;
	int status;

	if (options_read(&options, command, argc - n_skipped, argv + n_skipped, &status)) {
		if (options.limits_isa)
			isa_level_export(options.isa);
		status = commands[command](&options);
	}
	options_deinit(&options);
	return status;
}
