#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "target/internal.h"

bool proc_status_field(pid_t pid, const char *field, char *value, size_t value_bytes)
{
	char path[64], line[512];
	size_t field_length = strlen(field);
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file)) {
		if (strncmp(line, field, field_length) != 0 || line[field_length] != ':')
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(value, value_bytes, "%s", line + field_length + 1 + strspn(line + field_length + 1, " \t"));
		found = true;
	}
	fclose(file);
	return found;
}

static int yama_scope(void)
{
	FILE *file = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	int scope = 0;

	if (file) {
		if (fscanf(file, "%d", &scope) != 1)
			scope = 0;
		fclose(file);
	}
	return scope;
}

bool target_explain_refusal(pid_t pid, int errno_value, struct error *err)
{
	char value[64];

	errno = errno_value;
	if (proc_status_field(pid, "TracerPid", value, sizeof(value)) && atoi(value) != 0)
		return error_set_errno(
			err, ERROR_ENVIRONMENT,
			"cannot trace process %d: process %s traces it already (a debugger, strace -f?); end that first",
			(int)pid, value);
	if (yama_scope() >= 2)
		return error_set_errno(
			err, ERROR_ENVIRONMENT,
			"cannot trace process %d: /proc/sys/kernel/yama/ptrace_scope is %d, which forbids ptrace%s",
			(int)pid, yama_scope(),
			yama_scope() == 2 ? " without CAP_SYS_PTRACE; run as root or set it to 1"
					  : " until the next boot");
	if (proc_status_field(getpid(), "Seccomp", value, sizeof(value)) && atoi(value) != 0)
		return error_set_errno(
			err, ERROR_ENVIRONMENT,
			"cannot trace process %d: a seccomp filter is in force and probably forbids ptrace; in a "
			"container allow it (docker run --cap-add=SYS_PTRACE or --security-opt seccomp=unconfined)",
			(int)pid);
	return error_set_errno(err, ERROR_ENVIRONMENT,
			       "cannot trace process %d: the kernel or a security module refused ptrace", (int)pid);
}
