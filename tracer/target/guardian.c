#include "target/guardian.h"

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

enum { GUARDED_MAX = 1 << 16 };

/* Shared by both; read when itrace is no more. It may be killed while it writes a list: the other one is whole. */
struct guarded {
	atomic_uint current;
	struct guarded_list {
		size_t n_breakpoints;
		struct breakpoint breakpoints[GUARDED_MAX];
	} lists[2];
};

struct guardian {
	pid_t pid;
	int life_fd; /* nothing is written to it: it is closed when itrace ends */
	struct guarded *guarded;
};

/* Runs in the child. */
static void guard(int life_fd, int memory_fd, const struct guarded *guarded)
{
	const struct guarded_list *list;
	sigset_t all;
	uint8_t byte;

	/* What is sent to itrace's group or from its terminal is not for the guardian. */
	setsid();
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_NAME, "itrace-guardian");
	if (dup2(life_fd, STDIN_FILENO) < 0 || dup2(memory_fd, STDOUT_FILENO) < 0)
		_exit(1);
	close_range(STDERR_FILENO, ~0u, 0);
	if (read(STDIN_FILENO, &byte, 1) < 0)
		_exit(1);
	list = &guarded->lists[guarded->current];
	for (size_t i = 0; i < list->n_breakpoints; i++) {
		const struct breakpoint *breakpoint = &list->breakpoints[i];

		if (pread(STDOUT_FILENO, &byte, 1, (off_t)breakpoint->va) == 1 && byte == INT3 &&
		    pwrite(STDOUT_FILENO, &breakpoint->original, 1, (off_t)breakpoint->va) != 1)
			continue;
	}
	_exit(0);
}

struct guardian *guardian_create(int memory_fd)
{
	struct guardian *guardian;
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
		guard(life[0], memory_fd, guarded);
	}
	close(life[0]);
	if (pid < 0) {
		close(life[1]);
		munmap(guarded, sizeof(*guarded));
		return NULL;
	}
	guardian = xcalloc(1, sizeof(*guardian));
	*guardian = (struct guardian){.pid = pid, .life_fd = life[1], .guarded = guarded};
	return guardian;
}

void guardian_destroy(struct guardian *guardian)
{
	if (!guardian)
		return;
	guardian_tell(guardian, NULL, 0);
	close(guardian->life_fd);
	while (waitpid(guardian->pid, NULL, 0) < 0 && errno == EINTR)
		;
	munmap(guardian->guarded, sizeof(*guardian->guarded));
	free(guardian);
}

void guardian_tell(struct guardian *guardian, const struct breakpoint *breakpoints, size_t n_breakpoints)
{
	struct guarded_list *list;
	unsigned next;

	if (!guardian)
		return;
	next = 1 - guardian->guarded->current;
	list = &guardian->guarded->lists[next];
	list->n_breakpoints = n_breakpoints < GUARDED_MAX ? n_breakpoints : GUARDED_MAX;
	if (n_breakpoints)
		memcpy(list->breakpoints, breakpoints, list->n_breakpoints * sizeof(*breakpoints));
	guardian->guarded->current = next;
}
