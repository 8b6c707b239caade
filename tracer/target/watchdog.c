#include "target/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "target/internal.h"

enum { GUARDED_MAX = 1 << 16 }; /* breakpoints; the watchdog does not remove further ones */

/* Shared by both processes. The child reads it after itrace has died. itrace may die while it writes one list; the
 * current one is then complete. */
struct guarded {
	atomic_uint current;
	struct guarded_list {
		size_t n_breakpoints;
		struct breakpoint breakpoints[GUARDED_MAX];
	} lists[2];
};

struct watchdog {
	pid_t pid;
	int life_fd; /* never written to; closes when itrace ends */
	struct guarded *guarded;
};

/* Runs in the child. */
static void run_watchdog(int life_fd, int memory_fd, const struct guarded *guarded)
{
	const struct guarded_list *list;
	sigset_t all;
	uint8_t byte;

	/* Signals to itrace's group or from its terminal must not reach the watchdog. */
	setsid();
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_NAME, "itrace-watchdog");
	if (dup2(life_fd, STDIN_FILENO) < 0 || dup2(memory_fd, STDOUT_FILENO) < 0)
		_exit(1);
	close_range(STDERR_FILENO, ~0u, 0);
	if (read(STDIN_FILENO, &byte, 1) < 0)
		_exit(1);
	list = &guarded->lists[guarded->current];
	breakpoints_restore(STDOUT_FILENO, list->breakpoints, list->n_breakpoints);
	_exit(0);
}

struct watchdog *watchdog_create(int memory_fd)
{
	struct watchdog *watchdog;
	struct guarded *guarded;
	int life[2];
	pid_t pid;

	guarded = mmap(NULL, sizeof(*guarded), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1,
		       0);
	if (guarded == MAP_FAILED)
		return NULL;
	if (pipe2(life, O_CLOEXEC) < 0) {
		munmap(guarded, sizeof(*guarded));
		return NULL;
	}
	pid = fork();
	if (pid == 0) {
		close(life[1]);
		run_watchdog(life[0], memory_fd, guarded);
	}
	close(life[0]);
	if (pid < 0) {
		close(life[1]);
		munmap(guarded, sizeof(*guarded));
		return NULL;
	}
	watchdog = xcalloc(1, sizeof(*watchdog));
	*watchdog = (struct watchdog){.pid = pid, .life_fd = life[1], .guarded = guarded};
	return watchdog;
}

void watchdog_destroy(struct watchdog *watchdog)
{
	if (!watchdog)
		return;
	watchdog_set_breakpoints(watchdog, NULL, 0);
	close(watchdog->life_fd);
	while (waitpid(watchdog->pid, NULL, 0) < 0 && errno == EINTR)
		;
	munmap(watchdog->guarded, sizeof(*watchdog->guarded));
	free(watchdog);
}

void watchdog_set_breakpoints(struct watchdog *watchdog, const struct breakpoint *breakpoints, size_t n_breakpoints)
{
	struct guarded_list *list;
	unsigned next;

	if (!watchdog)
		return;
	next = 1 - watchdog->guarded->current;
	list = &watchdog->guarded->lists[next];
	list->n_breakpoints = n_breakpoints < GUARDED_MAX ? n_breakpoints : GUARDED_MAX;
	if (n_breakpoints)
		memcpy(list->breakpoints, breakpoints, list->n_breakpoints * sizeof(*breakpoints));
	watchdog->guarded->current = next;
}
