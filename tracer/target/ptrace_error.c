#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "target/internal.h"

FILE *proc_open(pid_t pid, const char *format, ...)
{
	char path[64];
	int n = snprintf(path, sizeof(path), "/proc/%d/", (int)pid);
	va_list args;

	va_start(args, format);
	vsnprintf(path + n, sizeof(path) - (size_t)n, format, args);
	va_end(args);
	return fopen(path, "re");
}

bool proc_status_field(pid_t pid, const char *field, char *value, size_t value_bytes)
{
	FILE *file = proc_open(pid, "status");
	size_t field_length = strlen(field);
	bool found = false;
	char line[512];

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

unsigned proc_flags(pid_t pid)
{
	FILE *file = proc_open(pid, "stat");
	const char *rest = NULL;
	unsigned flags = 0;
	char line[1024];

	if (!file)
		return 0;
	/* The program's name, in parentheses, may contain any character. */
	if (fgets(line, sizeof(line), file))
		rest = strrchr(line, ')');
	if (rest && sscanf(rest, ") %*c %*d %*d %*d %*d %*d %u", &flags) != 1)
		flags = 0;
	fclose(file);
	return flags;
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

static bool is_descendant(pid_t pid)
{
	char parent[32];

	while (pid > 1 && proc_status_field(pid, "PPid", parent, sizeof(parent))) {
		pid = (pid_t)atoi(parent);
		if (pid == getpid())
			return true;
	}
	return false;
}

/* Returns true if the effective user differs from the real one. */
static bool is_set_user_id(const char *uids)
{
	unsigned real, effective;

	return sscanf(uids, "%u %u", &real, &effective) == 2 && real != effective;
}

bool process_is_of_another_user(pid_t pid)
{
	char value[64];
	unsigned int real, effective;

	return geteuid() != 0 && proc_status_field(pid, "Uid", value, sizeof(value)) &&
	       sscanf(value, "%u %u", &real, &effective) == 2 && effective != geteuid();
}

static void find_reason(pid_t pid, char *reason, size_t reason_bytes)
{
	char value[64];

	if (proc_status_field(pid, "TracerPid", value, sizeof(value)) && atoi(value) != 0)
		snprintf(reason, reason_bytes, "process %s traces it already (a debugger, strace -f?); end that first",
			 value);
	else if (yama_scope() == 1 && !is_descendant(pid))
		snprintf(reason, reason_bytes,
			 "/proc/sys/kernel/yama/ptrace_scope is 1, which lets only root trace a process that itrace "
			 "did not start; run as root or set it to 0");
	else if (yama_scope() >= 2)
		snprintf(reason, reason_bytes, "/proc/sys/kernel/yama/ptrace_scope is %d, which forbids ptrace%s",
			 yama_scope(),
			 yama_scope() == 2 ? " without CAP_SYS_PTRACE; run as root or set it to 1"
					   : " until the next boot");
	else if (proc_status_field(getpid(), "Seccomp", value, sizeof(value)) && atoi(value) != 0)
		snprintf(reason, reason_bytes,
			 "a seccomp filter is in force and probably forbids ptrace; in a container allow it (docker "
			 "run --cap-add=SYS_PTRACE or --security-opt seccomp=unconfined)");
	else if (proc_status_field(pid, "Uid", value, sizeof(value)) && geteuid() != 0 && is_set_user_id(value))
		snprintf(reason, reason_bytes, "it is set-user-ID and runs as another user; run as root");
	else if (process_is_of_another_user(pid))
		snprintf(reason, reason_bytes, "it is another user's; run as that user or as root");
	else
		snprintf(reason, reason_bytes,
			 "the kernel or a security module refused ptrace; it may have more privileges than itrace "
			 "(CAP_SYS_PTRACE would suffice)");
}

bool target_explain_refusal(pid_t pid, int errno_value, struct error *err)
{
	char reason[256];

	find_reason(pid, reason, sizeof(reason));
	errno = errno_value;
	return error_set_errno(err, ERROR_ENVIRONMENT, "cannot trace process %d: %s", (int)pid, reason);
}
