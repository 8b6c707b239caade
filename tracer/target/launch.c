#include "target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "target/internal.h"

static char *find_program(const char *name, struct error *err)
{
	const char *path = getenv("PATH");
	bool found_unexecutable = false;
	struct stat status;
	char *copy, *rest, *folder;

	if (strchr(name, '/'))
		return xstrdup(name);
	copy = xstrdup(path ? path : "/bin:/usr/bin");
	rest = copy;
	while ((folder = strsep(&rest, ":"))) {
		char *candidate = xasprintf("%s/%s", *folder ? folder : ".", name);

		if (stat(candidate, &status) == 0 && S_ISREG(status.st_mode)) {
			if (access(candidate, X_OK) == 0) {
				free(copy);
				return candidate;
			}
			found_unexecutable = true;
		}
		free(candidate);
	}
	free(copy);
	if (found_unexecutable)
		error_set(err, ERROR_NOT_EXECUTABLE, "'%s' is on PATH, but it is not executable", name);
	else
		error_set(err, ERROR_NOT_FOUND,
			  "no program named '%s' on PATH; give a path such as ./%s for one that is elsewhere", name,
			  name);
	return NULL;
}

static bool explain_exec_failure(const char *path, int errno_value, struct error *err)
{
	struct stat status;

	errno = errno_value;
	switch (errno_value) {
	case ENOENT:
		if (stat(path, &status) == 0)
			return error_set(err, ERROR_NOT_FOUND,
					 "cannot execute '%s': the interpreter or loader that it names does not exist",
					 path);
		/* fall through */
	case ENOTDIR:
		return error_set_errno(err, ERROR_NOT_FOUND, "cannot execute '%s'", path);
	case ENOEXEC:
		return error_set(
			err, ERROR_NOT_EXECUTABLE,
			"cannot execute '%s': this system knows no such file format (a script needs a #! line)", path);
	case EACCES:
		if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
			return error_set(err, ERROR_NOT_EXECUTABLE, "cannot execute '%s': it is a directory", path);
		/* fall through */
	default:
		return error_set_errno(err, ERROR_NOT_EXECUTABLE, "cannot execute '%s'", path);
	}
}

/* Runs in the child: waits until it is traced, then executes the program. If it cannot, it sends errno to the tracer,
 * negative if turning off the randomisation failed. */
static void become_program(const char *path, const char *const *argv, bool disable_aslr, int go_fd, int failure_fd)
{
	int failure;
	char go;

	if (read(go_fd, &go, 1) != 1)
		_exit(127);
	if (disable_aslr) {
		int persona = personality(0xffffffff);

		if (persona < 0 || personality((unsigned long)persona | ADDR_NO_RANDOMIZE) < 0) {
			failure = -errno;
			goto fail;
		}
	}
	execv(path, (char *const *)argv);
	failure = errno;
fail:
	if (write(failure_fd, &failure, sizeof(failure)) < 0)
		_exit(126);
	_exit(127);
}

/* Linux reads most of a file after it has discarded the old program. If that fails, it can only kill the process. */
static bool explain_death(const char *path, int wait_status, struct error *err)
{
	if (WIFSIGNALED(wait_status) && (WTERMSIG(wait_status) == SIGSEGV || WTERMSIG(wait_status) == SIGKILL))
		return error_set(err, ERROR_NOT_EXECUTABLE,
				 "cannot execute '%s': Linux killed it with SIG%s while it loaded the file, which is "
				 "damaged or needs memory that Linux cannot give it",
				 path, sigabbrev_np(WTERMSIG(wait_status)));
	return error_set(err, ERROR_ENVIRONMENT, "'%s' died before it started", path);
}

static bool wait_for_exec(pid_t child, int failure_fd, const char *path, struct error *err)
{
	int wait_status, failure;

	for (;;) {
		if (waitpid(child, &wait_status, __WALL) < 0) {
			if (errno == EINTR)
				continue;
			return error_set_errno(err, ERROR_ENVIRONMENT, "cannot wait for '%s' to start", path);
		}
		if (WIFSTOPPED(wait_status) && wait_status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8))
			return true;
		if (WIFSTOPPED(wait_status)) {
			int signal = WSTOPSIG(wait_status);

			/* A signal before exec is passed on. Event stops, such as that of an exit, carry none. */
			ptrace(PTRACE_CONT, child, 0, wait_status >> 16 ? 0 : signal);
			continue;
		}
		if (read(failure_fd, &failure, sizeof(failure)) == sizeof(failure)) {
			if (failure < 0) {
				errno = -failure;
				return error_set_errno(
					err, ERROR_ENVIRONMENT,
					"cannot turn off address-space layout randomisation (--no-aslr)");
			}
			return explain_exec_failure(path, failure, err);
		}
		return explain_death(path, wait_status, err);
	}
}

/* Closes the file, which may be NULL. */
static bool read_number(FILE *file, int base, unsigned long *number)
{
	char text[32];
	bool is_read;

	if (!file)
		return false;
	is_read = fgets(text, sizeof(text), file) != NULL;
	fclose(file);
	if (is_read)
		*number = strtoul(text, NULL, base);
	return is_read;
}

bool process_is_randomized(const struct process *process)
{
	unsigned long persona, randomizes;

	return read_number(proc_open(process->pid, "personality"), 16, &persona) && !(persona & ADDR_NO_RANDOMIZE) &&
	       read_number(fopen("/proc/sys/kernel/randomize_va_space", "re"), 10, &randomizes) && randomizes;
}

/* Traces the child and lets it execute the program. Kills it if that fails. */
static bool start(pid_t child, int go_fd, int failure_fd, const char *path, struct error *err)
{
	bool started = false;

	if (ptrace(PTRACE_SEIZE, child, 0, SEIZE_OPTIONS | PTRACE_O_EXITKILL) < 0)
		target_explain_refusal(child, errno, err);
	else if (write(go_fd, "", 1) != 1)
		error_set_errno(err, ERROR_ENVIRONMENT, "cannot start '%s'", path);
	else
		started = wait_for_exec(child, failure_fd, path, err);
	if (!started) {
		kill(child, SIGKILL);
		while (waitpid(child, NULL, __WALL) < 0 && errno == EINTR)
			;
	}
	return started;
}

bool target_launch(struct target *target, const char *const *argv, bool disable_aslr, struct error *err)
{
	int go[2], failure[2];
	bool started = false;
	struct thread *thread;
	char *path;
	pid_t child;

	path = find_program(argv[0], err);
	if (!path)
		return false;
	if (pipe2(go, O_CLOEXEC) < 0) {
		free(path);
		return error_set_errno(err, ERROR_ENVIRONMENT, "cannot make a pipe");
	}
	if (pipe2(failure, O_CLOEXEC) < 0) {
		error_set_errno(err, ERROR_ENVIRONMENT, "cannot make a pipe");
		goto close_go;
	}
	child = fork();
	if (child < 0) {
		error_set_errno(err, ERROR_ENVIRONMENT, "cannot fork to start '%s'", path);
		goto close_failure;
	}
	if (child == 0)
		become_program(path, argv, disable_aslr, go[0], failure[1]);
	/* From now on a read ends when the child has executed the program or died. */
	close(failure[1]);
	failure[1] = -1;

	started = start(child, go[1], failure[0], path, err);
	if (!started)
		goto close_failure;
	memset(target, 0, sizeof(*target));
	target->process = target_add_process(target, child);
	thread = target_add_thread(target, target->process, child);
	thread->stopped = true;
	if (!process_reopen_memory(target->process)) {
		error_set_errno(err, ERROR_ENVIRONMENT, "cannot open the memory of '%s' (/proc/%d/mem)", path,
				(int)child);
		target_kill(target, SIGKILL);
		target_deinit(target);
		started = false;
	}
close_failure:
	close(failure[0]);
	if (failure[1] >= 0)
		close(failure[1]);
close_go:
	close(go[0]);
	close(go[1]);
	free(path);
	return started;
}
