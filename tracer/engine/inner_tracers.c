#include "engine/inner_tracers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

void inner_tracers_note_syscall(struct engine *engine, const struct task *task, const struct target_regs *after)
{
	if (task->before.rax != SYS_ptrace || (int64_t)after->rax != -EPERM || engine->has_inner_tracer)
		return;
	engine->has_inner_tracer = true;
	profile_note(engine->profile,
		     "ptrace(2) failed in the program: Linux allows a process one tracer, which is itrace. Debuggers, "
		     "strace and the like work inside itrace only on processes that it does not trace%s",
		     engine->target->follows_children ? ": leave out -f" : "");
}

static bool turns_leaks_off(const char *variable)
{
	const char *options = getenv(variable);

	return options && strstr(options, "detect_leaks=0");
}

static bool has_leak_check(const struct modules *modules)
{
	bool found = false;

	for (size_t i = 0; i < modules->n_modules && !found; i++) {
		struct function_list list;

		if (!modules->modules[i].file)
			continue;
		elf_file_functions_init(modules->modules[i].file, elf_symbol_is, "__lsan_do_leak_check", &list);
		found = list.n_functions != 0;
		elf_file_functions_deinit(&list);
	}
	return found;
}

void inner_tracers_note_end(struct engine *engine)
{
	/* The status of a fatal error in AddressSanitizer, and LeakSanitizer's default (sanitizer_flags.inc). */
	enum { STATUS_FATAL = 1, STATUS_LEAKS = 23 };
	const struct profile *profile = engine->profile;

	if (!profile->exited || (profile->exit_status != STATUS_FATAL && profile->exit_status != STATUS_LEAKS) ||
	    turns_leaks_off("ASAN_OPTIONS") || turns_leaks_off("LSAN_OPTIONS") ||
	    !has_leak_check(&engine->triggers.modules))
		return;
	profile_note(engine->profile,
		     "LeakSanitizer fails in every program that is traced, because it must trace the program itself: "
		     "if it reported a fatal error, set ASAN_OPTIONS=detect_leaks=0 (or LSAN_OPTIONS)");
}
