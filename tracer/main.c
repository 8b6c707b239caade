/* itrace: counts what regions of a program execute, and estimates what that costs on many CPUs. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/tracing/signals.h"

/* Opens /dev/null as each standard descriptor that is closed, because a file that itrace opens would become that
 * descriptor. It is close-on-exec, so that the traced program still finds the descriptor closed. As stdout it is
 * read-only, so that a report to a closed stdout still fails. */
static void fill_closed_descriptors(void)
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
	fill_closed_descriptors();
	signals_survive(SIGXFSZ);
	return cli_run(argc, argv);
}
