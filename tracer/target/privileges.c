#include "target/target.h"

#include <endian.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>

#include "target/internal.h"

/* execve grants no privileges after PR_SET_NO_NEW_PRIVS and on file systems mounted nosuid. */
static bool grants_no_privileges(pid_t pid, const char *program)
{
	struct statvfs file_system;
	char value[32];

	return (proc_status_field(pid, "NoNewPrivs", value, sizeof(value)) && atoi(value) != 0) ||
	       statvfs(program, &file_system) < 0 || file_system.f_flag & ST_NOSUID;
}

/* Compares the effective ID, the second number of the lines Uid and Gid, with `wanted`. */
static bool has_other_id(pid_t pid, const char *field, unsigned wanted)
{
	char value[128];
	unsigned effective;

	return proc_status_field(pid, field, value, sizeof(value)) && sscanf(value, "%*u %u", &effective) == 1 &&
	       effective != wanted;
}

static uint64_t capability_set(pid_t pid, const char *field)
{
	char value[64];

	return proc_status_field(pid, field, value, sizeof(value)) ? strtoull(value, NULL, 16) : 0;
}

/* capabilities(7), "File capabilities": the process gets the file's permitted set within the bounding set. */
static bool lacks_capabilities(pid_t pid, const char *program)
{
	struct vfs_ns_cap_data data = {0};
	uint64_t permitted;

	if (getxattr(program, "security.capability", &data, sizeof(data)) < (ssize_t)XATTR_CAPS_SZ_1)
		return false;
	permitted = (uint64_t)le32toh(data.data[1].permitted) << 32 | le32toh(data.data[0].permitted);
	return permitted & capability_set(pid, "CapBnd") & ~capability_set(pid, "CapPrm");
}

const char *process_withheld_privilege(const struct process *process)
{
	char program[64];
	struct stat status;

	snprintf(program, sizeof(program), "/proc/%d/exe", (int)process->pid);
	if (stat(program, &status) < 0 || grants_no_privileges(process->pid, program))
		return NULL;
	if (status.st_mode & S_ISUID && has_other_id(process->pid, "Uid", status.st_uid))
		return "is set-user-ID";
	/* Without execute permission for the group, the bit meant mandatory locking. */
	if (status.st_mode & S_ISGID && status.st_mode & S_IXGRP && has_other_id(process->pid, "Gid", status.st_gid))
		return "is set-group-ID";
	return lacks_capabilities(process->pid, program) ? "has file capabilities" : NULL;
}
