/* Moves the cache when the program needs its addresses. Before a system call that names addresses of the cache, and
 * when the stack grows to the cache, the whole cache is removed from the process. It is mapped elsewhere when a
 * thread next enters translated code. */
#ifndef ITRACE_ENGINE_TRANSLATE_CONSISTENCY_GIVE_WAY_H
#define ITRACE_ENGINE_TRANSLATE_CONSISTENCY_GIVE_WAY_H

#include "engine/translate/translator.h"

/* Implements backend_ops.before_syscall. */
bool give_way_before_syscall(struct backend *backend, struct task *task);

/* Allows other threads to enter translated code again, because the task has made its system call or access, or is
 * gone. */
void give_way_is_done(struct translator *translator, const struct task *task);

/* Called when the thread is about to receive SIGSEGV. Returns true if the cache prevented the stack from growing. The
 * cache is then removed, or soon will be, and the access must be stepped. */
bool give_way_on_fault(struct translator *translator, struct task *task);

/* Forgets the cache if the program overwrote a part of it while it ran natively. */
void give_way_if_lost(struct translator *translator, struct task *task);

/* Returns true if the task must not enter translated code, because another one maps memory where the cache was. */
bool give_way_forbids_entry(struct translator *translator, const struct task *task);

#endif
