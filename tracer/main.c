/* itrace: counts what regions of a program execute, and estimates what that costs on many CPUs. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/tracing/signals.h"

/* A file that itrace opens would become stdin, stdout or stderr if that is closed. /dev/null takes the place instead:
 * close-on-exec, so that the traced program still finds it closed, and read-only for stdout, so that writing a report
 * there still fails. */
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
	signals_survive(SIGXFSZ);
	return cli_run(argc, argv);
}
