#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/array.h"
#include "target/watchdog.h"
#include "target/internal.h"

void process_destroy(struct process *process)
{
	if (!process)
		return;
	watchdog_destroy(process->watchdog);
	if (process->memory_fd >= 0)
		close(process->memory_fd);
	free(process->breakpoints);
	free(process);
}

static void update_watchdog(const struct process *process)
{
	watchdog_set_breakpoints(process->watchdog, process->breakpoints, process->n_breakpoints);
}

static int open_memory(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	return open(path, O_RDWR | O_CLOEXEC);
}

bool process_reopen_memory(struct process *process)
{
	if (process->memory_fd >= 0)
		close(process->memory_fd);
	process->memory_fd = open_memory(process->pid);
	process->n_breakpoints = 0;
	process->breakpoints_version++;
	watchdog_destroy(process->watchdog);
	process->watchdog = NULL;
	if (process->memory_fd < 0)
		return false;
	if (process->outlives_itrace)
		process->watchdog = watchdog_create(process->memory_fd);
	return true;
}

uint64_t process_address_space_left(const struct process *process)
{
	unsigned long long used_pages = 0;
	struct rlimit limit;
	FILE *file;
	uint64_t used;

	if (prlimit(process->pid, RLIMIT_AS, NULL, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	file = proc_open(process->pid, "statm");
	if (!file)
		return UINT64_MAX;
	if (fscanf(file, "%llu", &used_pages) != 1)
		used_pages = 0;
	fclose(file);
	used = (uint64_t)used_pages * (uint64_t)sysconf(_SC_PAGESIZE);
	return used < limit.rlim_cur ? limit.rlim_cur - used : 0;
}

uint64_t process_stack_limit(const struct process *process)
{
	struct rlimit limit;

	return prlimit(process->pid, RLIMIT_STACK, NULL, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY
		       ? UINT64_MAX
		       : limit.rlim_cur;
}

/* Returns the index of the first breakpoint at or above va. */
static size_t breakpoint_index(const struct process *process, uint64_t va)
{
	return ARRAY_SEARCH(process->n_breakpoints, i, process->breakpoints[i].va < va);
}

size_t process_read(const struct process *process, uint64_t va, void *buffer, size_t n_bytes)
{
	struct iovec local = {.iov_base = buffer, .iov_len = n_bytes};
	struct iovec remote = {.iov_base = (void *)(uintptr_t)va,
			       .iov_len = n_bytes}; // NOLINT(performance-no-int-to-ptr)
	ssize_t got = process_vm_readv(process->pid, &local, 1, &remote, 1, 0);

	if (got < (ssize_t)n_bytes) {
		/* This happens for execute-only memory, a page boundary in the middle, or a sandbox without
		 * process_vm_readv. */
		ssize_t slow = pread(process->memory_fd, buffer, n_bytes, (off_t)va);

		if (slow > got)
			got = slow;
	}
	if (got <= 0)
		return 0;
	for (size_t i = breakpoint_index(process, va);
	     i < process->n_breakpoints && process->breakpoints[i].va - va < (uint64_t)got; i++)
		((uint8_t *)buffer)[process->breakpoints[i].va - va] = process->breakpoints[i].original;
	return (size_t)got;
}

void process_read_all(const struct process *process, const uint64_t *vas, size_t n, void *buffer, size_t n_bytes,
		      bool *are_read)
{
	enum { AT_ONCE = 64 };
	uint8_t *bytes = buffer;

	for (size_t i = 0; i < n;) {
		size_t n_asked = n - i < AT_ONCE ? n - i : AT_ONCE, n_got;
		struct iovec local = {.iov_base = bytes + i * n_bytes, .iov_len = n_asked * n_bytes}, remote[AT_ONCE];
		ssize_t got;

		for (size_t j = 0; j < n_asked; j++)
			remote[j] = (struct iovec){.iov_base = (void *)(uintptr_t)
							   vas[i + j], // NOLINT(performance-no-int-to-ptr)
						   .iov_len = n_bytes};
		got = process_vm_readv(process->pid, &local, 1, remote, n_asked, 0);
		n_got = got < 0 ? 0 : (size_t)got / n_bytes;
		for (size_t j = 0; j < n_got; j++)
			are_read[i + j] = true;
		i += n_got;
		if (n_got == n_asked)
			continue;
		are_read[i] = process_read(process, vas[i], bytes + i * n_bytes, n_bytes) == n_bytes;
		i++;
	}
}

bool process_write(struct process *process, uint64_t va, const void *bytes, size_t n_bytes)
{
	return pwrite(process->memory_fd, bytes, n_bytes, (off_t)va) == (ssize_t)n_bytes;
}

const struct breakpoint *process_find_breakpoint(const struct process *process, uint64_t va)
{
	size_t i;

	/* Called for each translated instruction, most of which are far from all breakpoints. */
	if (!process->n_breakpoints || va < process->breakpoints[0].va ||
	    va > process->breakpoints[process->n_breakpoints - 1].va)
		return NULL;
	i = breakpoint_index(process, va);
	return process->breakpoints[i].va == va ? &process->breakpoints[i] : NULL;
}

bool process_add_breakpoint(struct process *process, uint64_t va, struct error *err)
{
	size_t i = breakpoint_index(process, va);
	const uint8_t int3 = INT3;
	uint8_t original;

	if (i < process->n_breakpoints && process->breakpoints[i].va == va)
		return true;
	if (pread(process->memory_fd, &original, 1, (off_t)va) != 1)
		return error_set_errno(err, ERROR_ENVIRONMENT, "cannot read the program's code at 0x%llx",
				       (unsigned long long)va);
	ARRAY_ADD(process, breakpoints);
	memmove(&process->breakpoints[i + 1], &process->breakpoints[i],
		(process->n_breakpoints - 1 - i) * sizeof(*process->breakpoints));
	process->breakpoints[i] = (struct breakpoint){.va = va, .original = original};
	process->breakpoints_version++;
	/* The watchdog gets the breakpoint before the int3 is planted, because itrace may be killed at any moment. */
	update_watchdog(process);
	if (process_write(process, va, &int3, 1))
		return true;
	error_set_errno(err, ERROR_ENVIRONMENT, "cannot plant a breakpoint at 0x%llx", (unsigned long long)va);
	process_forget_breakpoints(process, va, va + 1);
	return false;
}

void process_remove_breakpoint(struct process *process, uint64_t va)
{
	const struct breakpoint *breakpoint = process_find_breakpoint(process, va);
	uint8_t now;

	if (!breakpoint)
		return;
	/* If the program has written there since, the saved byte is outdated. */
	if (pread(process->memory_fd, &now, 1, (off_t)va) == 1 && now == INT3)
		process_lift_breakpoint(process, breakpoint);
	process_forget_breakpoints(process, va, va + 1);
}

void process_remove_all_breakpoints(struct process *process)
{
	while (process->n_breakpoints)
		process_remove_breakpoint(process, process->breakpoints[process->n_breakpoints - 1].va);
}

void process_forget_breakpoints(struct process *process, uint64_t start_va, uint64_t end_va)
{
	size_t first = breakpoint_index(process, start_va), last = breakpoint_index(process, end_va);

	memmove(&process->breakpoints[first], &process->breakpoints[last],
		(process->n_breakpoints - last) * sizeof(*process->breakpoints));
	process->n_breakpoints -= last - first;
	process->breakpoints_version++;
	update_watchdog(process);
}

void process_lift_breakpoint(struct process *process, const struct breakpoint *breakpoint)
{
	process_write(process, breakpoint->va, &breakpoint->original, 1);
}

void process_replant_breakpoint(struct process *process, uint64_t va)
{
	size_t i = breakpoint_index(process, va);
	const uint8_t int3 = INT3;
	uint8_t now;

	if (i == process->n_breakpoints || process->breakpoints[i].va != va)
		return; /* the step was an exec, or unmapped the memory */
	/* The stepped instruction may have changed its own first byte. */
	if (pread(process->memory_fd, &now, 1, (off_t)va) == 1 && now != INT3 &&
	    now != process->breakpoints[i].original) {
		process->breakpoints[i].original = now;
		update_watchdog(process);
	}
	process_write(process, va, &int3, 1);
}

void breakpoints_restore(int memory_fd, const struct breakpoint *breakpoints, size_t n_breakpoints)
{
	for (size_t i = 0; i < n_breakpoints; i++) {
		const struct breakpoint *breakpoint = &breakpoints[i];
		uint8_t now;

		if (pread(memory_fd, &now, 1, (off_t)breakpoint->va) == 1 && now == INT3 &&
		    pwrite(memory_fd, &breakpoint->original, 1, (off_t)breakpoint->va) != 1)
			continue;
	}
}

void process_restore_copy(const struct process *process, pid_t child)
{
	int fd = open_memory(child);

	if (fd < 0)
		return;
	breakpoints_restore(fd, process->breakpoints, process->n_breakpoints);
	close(fd);
}
