/* A program's view of its environment before, inside and after a region equals its view without itrace: descriptors,
 * signal mask and dispositions, CPU affinity, limits, priority, and a child's view of them.
 *
 * ANSWER
 *   region inside: visits 1, cut 0
 *
 * ANSWER
 *   closed 0 1 2
 *   region inside: visits 1, cut 0
 *
 * ANSWER
 *   closed 2
 *   region inside: visits 1, cut 0
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <itrace/markers.h>

/* Standard output may be closed: the answer is collected here and written to descriptor 1, or to the file that the
 * environment variable ANSWER_FILE names. */
static char text[8192];
static size_t n_text;

#define SAY(...) (n_text += (size_t)snprintf(text + n_text, sizeof(text) - n_text, __VA_ARGS__))

static void look(const char *when)
{
	cpu_set_t cpus;
	sigset_t mask;
	struct rlimit limit;

	SAY("%s:", when);
	for (int fd = 0; fd < 64; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			SAY(" fd%d", fd);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	for (int signal = 1; signal < 65; signal++) {
		struct sigaction action;
		if (sigismember(&mask, signal) == 1)
			SAY(" blocked%d", signal);
		if (sigaction(signal, NULL, &action) == 0 && action.sa_handler != SIG_DFL)
			SAY(" set%d", signal);
	}
	if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
		for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
			if (CPU_ISSET(cpu, &cpus))
				SAY(" cpu%d", cpu);
	for (int resource = 0; resource < RLIM_NLIMITS; resource++)
		if (getrlimit((__rlimit_resource_t)resource, &limit) == 0)
			SAY(" %lx/%lx", (long)limit.rlim_cur, (long)limit.rlim_max);
	SAY(" personality %x dumpable %d nice %d policy %d\n", personality(0xffffffff), prctl(PR_GET_DUMPABLE),
	    getpriority(PRIO_PROCESS, 0), sched_getscheduler(0));
}

static void look_in_child(const char *when)
{
	int ends[2];
	int status;

	if (pipe(ends) != 0)
		exit(1);
	if (fork() == 0) {
		char *from = text + n_text;
		look(when);
		if (write(ends[1], from, strlen(from)) < 0)
			_exit(1);
		_exit(0);
	}
	close(ends[1]);
	ssize_t got = read(ends[0], text + n_text, sizeof(text) - 1 - n_text);
	close(ends[0]);
	if (got > 0)
		n_text += (size_t)got;
	wait(&status);
	SAY("child: status %x\n", (unsigned)status);
}

int main(void)
{
	look("before");
	PA_BEGIN("inside");
	look("inside");
	look_in_child("child");
	PA_END("inside");
	look("after");
	const char *file = getenv("ANSWER_FILE");
	int fd = file ? open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600) : STDOUT_FILENO;
	return write(fd, text, n_text) == (ssize_t)n_text ? 0 : errno;
}
