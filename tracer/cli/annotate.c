#include "cli/annotate.h"

#include "cli/options/options.h"
#include "cli/report.h"
#include "cli/run.h"

int command_annotate(int argc, char **argv)
{
	struct options options;
	int status;

	if (options_read(&options, COMMAND_ANNOTATE, argc, argv, &status)) {
		if (options.profile_path)
			status = report_saved(&options);
		else
			status = run_and_report(&options);
	}
	options_deinit(&options);
	return status;
}
