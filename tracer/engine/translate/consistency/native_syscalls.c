#include "engine/translate/consistency/native_syscalls.h"

#include <sys/syscall.h>

#include "base/array.h"
#include "engine/syscalls.h"

/* A native system call changes neither code nor the address space, and creates neither threads nor processes. The calls
 * of this table do not write to the program's memory. */
static const uint16_t reading_syscalls[] = {
	SYS_write,	SYS_close,     SYS_lseek,	    SYS_brk,
	SYS_pwrite64,	SYS_writev,    SYS_access,	    SYS_sched_yield,
	SYS_dup,	SYS_dup2,      SYS_alarm,	    SYS_getpid,
	SYS_socket,	SYS_connect,   SYS_sendto,	    SYS_sendmsg,
	SYS_shutdown,	SYS_bind,      SYS_listen,	    SYS_setsockopt,
	SYS_fcntl,	SYS_flock,     SYS_fsync,	    SYS_fdatasync,
	SYS_truncate,	SYS_ftruncate, SYS_chdir,	    SYS_fchdir,
	SYS_rename,	SYS_mkdir,     SYS_rmdir,	    SYS_creat,
	SYS_link,	SYS_unlink,    SYS_symlink,	    SYS_chmod,
	SYS_fchmod,	SYS_chown,     SYS_fchown,	    SYS_lchown,
	SYS_umask,	SYS_getuid,    SYS_getgid,	    SYS_geteuid,
	SYS_getegid,	SYS_getppid,   SYS_getpgrp,	    SYS_utime,
	SYS_gettid,	SYS_futex,     SYS_epoll_create,    SYS_set_tid_address,
	SYS_epoll_ctl,	SYS_mkdirat,   SYS_unlinkat,	    SYS_renameat,
	SYS_fchmodat,	SYS_faccessat, SYS_set_robust_list, SYS_utimensat,
	SYS_eventfd,	SYS_fallocate, SYS_eventfd2,	    SYS_epoll_create1,
	SYS_dup3,	SYS_pwritev,   SYS_copy_file_range, SYS_pwritev2,
	SYS_faccessat2, SYS_exit,      SYS_exit_group,	    SYS_madvise,
};

/* The calls of this table write to the program's memory. */
static const uint16_t writing_syscalls[] = {
	SYS_read,	    SYS_stat,	      SYS_fstat,	 SYS_lstat,	   SYS_poll,
	SYS_rt_sigprocmask, SYS_ioctl,	      SYS_pread64,	 SYS_readv,	   SYS_pipe,
	SYS_select,	    SYS_nanosleep,    SYS_getitimer,	 SYS_setitimer,	   SYS_sendfile,
	SYS_accept,	    SYS_recvfrom,     SYS_recvmsg,	 SYS_getsockname,  SYS_getpeername,
	SYS_socketpair,	    SYS_getsockopt,   SYS_uname,	 SYS_getdents,	   SYS_getcwd,
	SYS_readlink,	    SYS_gettimeofday, SYS_getrlimit,	 SYS_getrusage,	   SYS_sysinfo,
	SYS_times,	    SYS_getgroups,    SYS_sigaltstack,	 SYS_statfs,	   SYS_fstatfs,
	SYS_time,	    SYS_getdents64,   SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep,
	SYS_epoll_wait,	    SYS_newfstatat,   SYS_readlinkat,	 SYS_pselect6,	   SYS_ppoll,
	SYS_epoll_pwait,    SYS_accept4,      SYS_pipe2,	 SYS_preadv,	   SYS_prlimit64,
	SYS_getcpu,	    SYS_getrandom,    SYS_preadv2,	 SYS_statx,	   SYS_rseq,
};

/* Returns true if translated code makes the call itself. writes_memory: the call is in writing_syscalls. */
static bool is_native(const struct translator *translator, uint16_t number, bool writes_memory)
{
	const struct code_changes *changes = &translator->changes;

	if (number == SYS_read || number == SYS_pread64)
		return !changes->steps_writes && !translator->map_files.are_watched;
	if (number == SYS_brk)
		return !translator->cache.has_low_heap;
	/* madvise can clear memory, or bring back what a file holds. */
	if (number == SYS_madvise)
		return !changes->steps_madvise && !changes->has_shared_code;
	if (number == SYS_rt_sigprocmask && changes->steps_sigmask)
		return false;
	if ((changes->has_memory_file || changes->has_shared_code) && syscalls_writes_file(number))
		return false;
	return !writes_memory || !changes->steps_writes;
}

void native_syscalls_choose(struct translator *translator)
{
	const struct trace_plan *plan = translator->engine->plan;
	uint8_t *native;

	/* on_syscall must see each system call. */
	if (!translator->cache.n_areas || (plan->stream && plan->stream->on_syscall))
		return;
	native = translator->cache.areas[0]->bytes + AREA_SYSCALL_NATIVE;
	for (size_t i = 0; i < ARRAY_LENGTH(reading_syscalls); i++)
		native[reading_syscalls[i]] = is_native(translator, reading_syscalls[i], false);
	for (size_t i = 0; i < ARRAY_LENGTH(writing_syscalls); i++)
		native[writing_syscalls[i]] = is_native(translator, writing_syscalls[i], true);
}
