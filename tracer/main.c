/* itrace: what a region of a program executes, and what it would cost on any CPU that there is a model for. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "commands/annotate.h"
#include "commands/block.h"
#include "commands/models.h"
#include "commands/record.h"
#include "commands/report.h"
#include "commands/run.h"
#include "commands/sample.h"
#include "commands/signals.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} subcommands[] = {
	{"annotate", command_annotate}, {"block", command_block},   {"compare", command_compare},
	{"models", command_models},	{"record", command_record}, {"report", command_report},
	{"sample", command_sample},
};

/* A file that itrace opens must not become its stdin, stdout or stderr. The program still finds them closed; a report to a
 * closed stdout fails, as it would have. */
static void occupy_standard_files(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
		if (fd == STDOUT_FILENO) {
			close(fd);
			fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
		}
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

int main(int argc, char **argv)
{
	if (getauxval(AT_SECURE)) {
		fputs("itrace: refusing to run set-user-ID or with raised privileges\n", stderr);
		return 125;
	}
	occupy_standard_files();
	signals_survive_size_limits();
	for (size_t i = 0; argc > 1 && i < sizeof(subcommands) / sizeof(subcommands[0]); i++)
		if (strcmp(argv[1], subcommands[i].name) == 0)
			return subcommands[i].run(argc - 1, argv + 1);
	return command_run(argc, argv);
}
