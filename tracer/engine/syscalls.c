#include "engine/syscalls.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/array.h"
#include "target/target.h"

bool syscalls_change_mappings(int64_t number)
{
	switch (number) {
	case SYS_mmap:
	case SYS_mprotect:
	case SYS_munmap:
	case SYS_mremap:
	case SYS_remap_file_pages:
	case SYS_shmat:
	case SYS_shmdt:
	case SYS_pkey_mprotect:
		return true;
	default:
		return false;
	}
}

static bool has_code_in(const struct mapping_list *known, uint64_t start_va, uint64_t n_bytes)
{
	for (size_t i = 0; i < known->n_mappings; i++) {
		const struct mapping *mapping = &known->mappings[i];

		if ((mapping->executable || mapping->shared) && mapping->start_va < start_va + n_bytes &&
		    start_va < mapping->end_va)
			return true;
	}
	return false;
}

bool syscalls_may_change_code(const struct mapping_list *known, const struct target_regs *before,
			      const struct target_regs *after)
{
	switch (before->rax) {
	case SYS_mmap:
		return before->rdx & PROT_EXEC || (before->r10 & MAP_TYPE) != MAP_PRIVATE ||
		       has_code_in(known, after->rax, before->rsi);
	case SYS_mprotect:
		return before->rdx & PROT_EXEC || has_code_in(known, before->rdi, before->rsi);
	case SYS_munmap:
		return has_code_in(known, before->rdi, before->rsi);
	default:
		return syscalls_change_mappings((int64_t)before->rax);
	}
}

/* The first N_FIRST calls write to the descriptor in their first argument, the others to that in their third. */
static const uint16_t writing_files[] = {
	SYS_write,     SYS_writev,    SYS_pwrite64, SYS_pwritev,	 SYS_pwritev2,
	SYS_ftruncate, SYS_fallocate, SYS_sendfile, SYS_copy_file_range, SYS_splice,
};
enum { N_FIRST = 8 };

bool syscalls_writes_file(uint64_t number)
{
	for (size_t i = 0; i < ARRAY_LENGTH(writing_files); i++)
		if (number == writing_files[i])
			return true;
	return false;
}

int syscalls_written_fd(const struct target_regs *before)
{
	for (size_t i = 0; i < ARRAY_LENGTH(writing_files); i++)
		if (before->rax == writing_files[i])
			return (int)(i < N_FIRST ? before->rdi : before->rdx);
	return -1;
}

bool syscalls_write_memory_file(const struct thread *thread, const struct target_regs *before)
{
	int fd = syscalls_written_fd(before);

	return fd >= 0 && thread_descriptor_proc_files(thread, fd).memory;
}

/* The kernel leaves these results for a call that it will restart (include/linux/errno.h: ERESTARTSYS,
 * ERESTARTNOINTR, ERESTARTNOHAND, ERESTART_RESTARTBLOCK). */
bool syscalls_is_interrupted(const struct target_regs *regs)
{
	int64_t result = (int64_t)regs->rax;

	return (int64_t)regs->orig_rax >= 0 && (result == -512 || result == -513 || result == -514 || result == -516);
}
