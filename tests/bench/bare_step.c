/* The least that single-stepping costs: PTRACE_SINGLESTEP and waitpid in a loop, tracer and program on one processor.
 *
 *     bare_step PROGRAM [ARGUMENT ...]        prints the number of steps
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: bare_step PROGRAM [ARGUMENT ...]\n");
		return 2;
	}
	cpu_set_t cpu;
	CPU_ZERO(&cpu);
	CPU_SET(sched_getcpu(), &cpu);
	sched_setaffinity(0, sizeof(cpu), &cpu);

	pid_t pid = fork();
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execv(argv[1], argv + 1);
		_exit(127);
	}
	int status;
	long steps = 0;
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) != 0) {
			fprintf(stderr, "bare_step: %s\n", strerror(errno));
			return 1;
		}
		steps++;
	}
	printf("%ld\n", steps);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
