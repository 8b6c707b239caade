#include "engine/translate/consistency/native_syscalls.h"

#include <sys/syscall.h>

#include "base/array.h"
#include "engine/syscalls.h"

/* A native system call changes neither code nor the address space, and neither creates nor ends threads or processes.
 * The calls of this table do not write to the program's memory. */
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
	SYS_faccessat2,
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

static void set_native(const struct translator *translator, const uint16_t *numbers, size_t n_numbers, bool is_native)
{
	for (size_t i = 0; translator->cache.n_areas && i < n_numbers; i++)
		translator->cache.areas[0]->bytes[AREA_SYSCALL_NATIVE + numbers[i]] = is_native;
}

void native_syscalls_choose(struct translator *translator)
{
	const struct trace_plan *plan = translator->engine->plan;

	/* A listener to system calls must see each one. */
	if (plan->stream && plan->stream->on_syscall)
		return;
	set_native(translator, reading_syscalls, ARRAY_LENGTH(reading_syscalls), true);
	set_native(translator, writing_syscalls, ARRAY_LENGTH(writing_syscalls), true);
	if (translator->changes.has_memory_file)
		native_syscalls_disable_file_writes(translator);
}

void native_syscalls_disable_writing(struct translator *translator)
{
	translator->changes.steps_writes = true;
	set_native(translator, writing_syscalls, ARRAY_LENGTH(writing_syscalls), false);
}

void native_syscalls_disable_file_writes(struct translator *translator)
{
	size_t n_numbers;
	const uint16_t *numbers = syscalls_writing_files(&n_numbers);

	set_native(translator, numbers, n_numbers, false);
}

void native_syscalls_step_reads(struct translator *translator, bool are_stepped)
{
	const struct trace_plan *plan = translator->engine->plan;

	if (!translator->changes.steps_writes && !(plan->stream && plan->stream->on_syscall))
		set_native(translator, (const uint16_t[]){SYS_read, SYS_pread64}, 2, !are_stepped);
}

void native_syscalls_disable_sigmask(struct translator *translator)
{
	set_native(translator, (const uint16_t[]){SYS_rt_sigprocmask}, 1, false);
}
