#include "told.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <unistd.h>

#include "base/array.h"
#include "profile/profile.h"

/* The number of bytes that a system call fills is a constant, the call's result, or ... */
#define AS_RESULT UINT64_MAX
#define AS_VECTOR (UINT64_MAX - 1) /* ... the result, spread over the vector that the argument points to */

/* The arguments that system calls fill, counted from 0. Sources: their manual pages, and the sizes of structs such as
 * struct stat on x86-64. */
static const struct {
	int64_t number;
	unsigned argument;
	uint64_t n_bytes;
	enum told_kind kind;
} fillers[] = {
	{SYS_read, 1, AS_RESULT, TOLD_OTHER},
	{SYS_pread64, 1, AS_RESULT, TOLD_OTHER},
	{SYS_readv, 1, AS_VECTOR, TOLD_OTHER},
	{SYS_recvfrom, 1, AS_RESULT, TOLD_OTHER},
	{SYS_readlink, 1, AS_RESULT, TOLD_OTHER},
	{SYS_readlinkat, 2, AS_RESULT, TOLD_OTHER},
	{SYS_getcwd, 0, AS_RESULT, TOLD_OTHER},
	{SYS_getdents64, 1, AS_RESULT, TOLD_FILES},
	{SYS_sched_getaffinity, 2, AS_RESULT, TOLD_OTHER},
	{SYS_uname, 0, 390, TOLD_OTHER},
	{SYS_pipe, 0, 8, TOLD_OTHER},
	{SYS_pipe2, 0, 8, TOLD_OTHER},
	{SYS_wait4, 1, 4, TOLD_OTHER},
	{SYS_getrlimit, 1, 16, TOLD_OTHER},
	{SYS_prlimit64, 3, 16, TOLD_OTHER},
	{SYS_statfs, 1, 120, TOLD_FILES},
	{SYS_fstatfs, 1, 120, TOLD_FILES},
	{SYS_stat, 1, 144, TOLD_FILES},
	{SYS_lstat, 1, 144, TOLD_FILES},
	{SYS_fstat, 1, 144, TOLD_FILES},
	{SYS_newfstatat, 2, 144, TOLD_FILES},
	{SYS_statx, 4, 256, TOLD_FILES},
	{SYS_getrandom, 0, AS_RESULT, TOLD_RANDOM},
	{SYS_clock_gettime, 1, 16, TOLD_TIME},
	{SYS_gettimeofday, 0, 16, TOLD_TIME},
	{SYS_getrusage, 1, 144, TOLD_TIME},
	{SYS_times, 0, 32, TOLD_TIME},
	{SYS_time, 0, 8, TOLD_TIME},
	{SYS_sysinfo, 0, 112, TOLD_TIME},
};

/* An argument of the first thread's call. Only the first three are known for other threads. */
static uint64_t argument(const struct profile *profile, const struct stream_syscall *call, unsigned index)
{
	struct user_regs_struct regs;

	if (index < ARRAY_LENGTH(call->arguments))
		return call->arguments[index];
	if (call->thread || ptrace(PTRACE_GETREGS, profile->pid, 0, &regs) < 0)
		return 0;
	return index == 3 ? regs.r10 : index == 4 ? regs.r8 : regs.r9;
}

static bool read_memory(int32_t pid, uint64_t va, void *bytes, size_t n_bytes)
{
	struct iovec own = {bytes, n_bytes}, there = {(void *)(uintptr_t)va, n_bytes};

	return process_vm_readv(pid, &own, 1, &there, 1, 0) == (ssize_t)n_bytes;
}

/* FNV-1a. */
static uint64_t hash_bytes(const uint8_t *bytes, size_t n_bytes)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < n_bytes; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static void take_filled(const struct profile *profile, uint64_t va, uint64_t n_bytes, struct told *told)
{
	uint8_t *bytes = xcalloc(1, n_bytes);

	if (read_memory(profile->pid, va, bytes, n_bytes)) {
		told->filled_va = va;
		told->n_filled = n_bytes;
		told->hash = hash_bytes(bytes, n_bytes);
		memcpy(told->filled, bytes, n_bytes < TOLD_BYTES ? n_bytes : TOLD_BYTES);
	}
	free(bytes);
}

/* Takes only the first part of the vector. */
static void take_vector(const struct profile *profile, uint64_t va, struct told *told)
{
	struct iovec first;

	if (read_memory(profile->pid, va, &first, sizeof(first)) && first.iov_len)
		take_filled(profile, (uintptr_t)first.iov_base,
			    first.iov_len < told->result ? first.iov_len : told->result, told);
}

static bool has_descriptor(int64_t number)
{
	return number == SYS_read || number == SYS_pread64 || number == SYS_readv || number == SYS_fstat ||
	       number == SYS_getdents64 || number == SYS_recvfrom;
}

void told_take(const struct profile *profile, const struct stream_syscall *call, uint64_t at, struct told *told)
{
	char link[64];
	ssize_t length;

	memset(told, 0, sizeof(*told));
	told->at = at;
	told->number = call->is_int80 ? -1 : call->number;
	memcpy(told->arguments, call->arguments, sizeof(told->arguments));
	told->result = call->result;
	if (has_descriptor(told->number)) {
		snprintf(link, sizeof(link), "/proc/%d/fd/%d", (int)profile->pid, (int)call->arguments[0]);
		length = readlink(link, told->path, sizeof(told->path) - 1);
		told->path[length > 0 ? length : 0] = '\0';
	}
	if ((int64_t)call->result < 0)
		return;
	for (size_t i = 0; i < ARRAY_LENGTH(fillers); i++) {
		uint64_t va, n_bytes = fillers[i].n_bytes;

		if (fillers[i].number != told->number || !(va = argument(profile, call, fillers[i].argument)))
			continue;
		if (n_bytes == AS_VECTOR)
			take_vector(profile, va, told);
		else if (n_bytes != AS_RESULT || call->result)
			take_filled(profile, va, n_bytes == AS_RESULT ? call->result : n_bytes, told);
	}
}

static bool begins_with(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

enum told_kind told_kind(const struct told *told)
{
	static const int64_t tellers_of_ids[] = {SYS_getpid,  SYS_gettid, SYS_getppid, SYS_set_tid_address,
						 SYS_getpgrp, SYS_getsid, SYS_getpgid, SYS_clone,
						 SYS_clone3,  SYS_fork,	  SYS_vfork,   SYS_wait4};

	if (begins_with(told->path, "/dev/urandom") || begins_with(told->path, "/dev/random"))
		return TOLD_RANDOM;
	if (begins_with(told->path, "/proc/") || begins_with(told->path, "/sys/"))
		return TOLD_PROC;
	for (size_t i = 0; i < ARRAY_LENGTH(tellers_of_ids); i++)
		if (told->number == tellers_of_ids[i])
			return TOLD_IDS;
	for (size_t i = 0; i < ARRAY_LENGTH(fillers); i++)
		if (fillers[i].number == told->number)
			return fillers[i].kind;
	return TOLD_OTHER;
}

bool told_by_others(const struct told *told)
{
	static const int64_t waits[] = {SYS_wait4,    SYS_waitid, SYS_poll,	  SYS_ppoll,	  SYS_select,
					SYS_pselect6, SYS_futex,  SYS_epoll_wait, SYS_epoll_pwait};

	for (size_t i = 0; i < ARRAY_LENGTH(waits); i++)
		if (told->number == waits[i])
			return true;
	return begins_with(told->path, "pipe:") || begins_with(told->path, "socket:");
}

uint64_t told_make_same(int32_t pid, const struct told *told, const struct told *other)
{
	struct iovec own = {(void *)(uintptr_t)other->filled, other->n_filled};
	struct iovec there = {(void *)(uintptr_t)told->filled_va, other->n_filled};

	if (told->number != other->number || other->n_filled > TOLD_BYTES || !told->n_filled != !other->n_filled)
		return told->result;
	if (other->n_filled && process_vm_writev(pid, &own, 1, &there, 1, 0) != (ssize_t)other->n_filled)
		return told->result;
	return other->result;
}

bool told_is_same(const struct told *a, const struct told *b)
{
	return a->number == b->number && a->result == b->result && a->n_filled == b->n_filled && a->hash == b->hash;
}

static void print_call(FILE *out, const struct told *told)
{
	const char *name = profile_syscall_name(told->number, false);

	fprintf(out, "%s(0x%" PRIx64 ", 0x%" PRIx64 ", 0x%" PRIx64 ")", name ? name : "unknown", told->arguments[0],
		told->arguments[1], told->arguments[2]);
	if ((int64_t)told->result < 4096 && (int64_t)told->result > -4096)
		fprintf(out, " = %" PRId64, (int64_t)told->result);
	else
		fprintf(out, " = 0x%" PRIx64, told->result);
	if (told->path[0])
		fprintf(out, ", of %s", told->path);
}

/* Prints some bytes from the first difference on. */
static void print_filled(FILE *out, const struct told *told, size_t from)
{
	enum { SHOWN = 32 };

	if (from >= told->n_filled || from >= TOLD_BYTES)
		return;
	fprintf(out, ", and filled from byte %zu on:", from);
	for (size_t i = from; i < from + SHOWN && i < told->n_filled && i < TOLD_BYTES; i++)
		fprintf(out, "%s%02x", i % 4 == from % 4 ? " " : "", told->filled[i]);
}

void told_print(FILE *out, const struct told *a, const struct told *b, const char *a_name, const char *b_name)
{
	size_t from = 0;

	while (from < TOLD_BYTES - 1 && a->filled[from] == b->filled[from])
		from++;
	fprintf(out, "    after %" PRIu64 " instructions:\n      %-9s ", a->at, a_name);
	print_call(out, a);
	print_filled(out, a, from);
	fprintf(out, "\n      %-9s ", b_name);
	print_call(out, b);
	print_filled(out, b, from);
	fputc('\n', out);
}

/* Finds the auxiliary vector on the stack of a process at its first instruction. It follows the arguments and the
 * environment, each of which ends with a null pointer (System V ABI, AMD64 supplement, 3.4.1). Returns 0 on failure. */
static uint64_t find_auxv(int32_t pid)
{
	struct user_regs_struct regs;
	uint64_t va, word;
	unsigned n_ends = 0;

	if (ptrace(PTRACE_GETREGS, pid, 0, &regs) < 0)
		return 0;
	for (va = regs.rsp + sizeof(word); n_ends < 2; va += sizeof(word)) {
		if (!read_memory(pid, va, &word, sizeof(word)))
			return 0;
		n_ends += !word;
	}
	return va;
}

/* Finds the entry of a type. Returns false if there is none. */
static bool find_entry(int32_t pid, uint64_t type, Elf64_auxv_t *entry, uint64_t *va)
{
	*va = find_auxv(pid);
	for (; *va && read_memory(pid, *va, entry, sizeof(*entry)) && entry->a_type != AT_NULL; *va += sizeof(*entry))
		if (entry->a_type == type)
			return true;
	return false;
}

static void write_memory(int32_t pid, uint64_t va, const void *bytes, size_t n_bytes)
{
	struct iovec own = {(void *)(uintptr_t)bytes, n_bytes}, there = {(void *)(uintptr_t)va, n_bytes};

	if (process_vm_writev(pid, &own, 1, &there, 1, 0) != (ssize_t)n_bytes)
		abort();
}

bool told_read_random(int32_t pid, uint8_t random[RANDOM_BYTES])
{
	Elf64_auxv_t entry;
	uint64_t va;

	return find_entry(pid, AT_RANDOM, &entry, &va) && read_memory(pid, entry.a_un.a_val, random, RANDOM_BYTES);
}

void told_write_random(int32_t pid, const uint8_t random[RANDOM_BYTES])
{
	Elf64_auxv_t entry;
	uint64_t va;

	if (find_entry(pid, AT_RANDOM, &entry, &va))
		write_memory(pid, entry.a_un.a_val, random, RANDOM_BYTES);
}

void told_hide_vdso(int32_t pid)
{
	Elf64_auxv_t entry;
	uint64_t va;

	if (!find_entry(pid, AT_SYSINFO_EHDR, &entry, &va))
		return;
	entry.a_type = AT_IGNORE;
	write_memory(pid, va, &entry, sizeof(entry));
}
