/* itrace: what a region of a program executes, and what it would cost on any CPU that there is a model for. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "cli/run.h"
#include "cli/subcommand.h"
#include "cli/tracing/signals.h"

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
	const struct subcommand *subcommand = argc > 1 ? subcommand_find(argv[1]) : NULL;

	if (getauxval(AT_SECURE)) {
		fputs("itrace: refusing to run set-user-ID or with raised privileges\n", stderr);
		return 125;
	}
	occupy_standard_files();
	signals_survive_size_limits();
	return subcommand ? subcommand->run(argc - 1, argv + 1) : command_run(argc, argv);
}
