/* State translation: from registers in translated code to the program's own. */
#ifndef ITRACE_ENGINE_TRANSLATE_CONTEXTS_APP_STATE_H
#define ITRACE_ENGINE_TRANSLATE_CONTEXTS_APP_STATE_H

#include "engine/translate/translator.h"

/* Returns the address at which the program continues after this exit stub. */
uint64_t app_state_exit_target(const struct task *task, const struct exit_stub *stub, const struct target_regs *regs);

/* Changes *regs, of a thread stopped at a location of the cache, to the program's registers (except GS). Corrects the
 * counts of a fragment that was left in the middle. Returns false, with nothing done, if the thread is inside
 * inserted code and must first execute more of it. */
bool app_state_recreate(struct translator *translator, struct task *task, const struct cache_location *location,
			struct target_regs *regs);

/* As app_state_recreate, for a thread that itrace interrupted. An interrupted system call is made again. */
bool app_state_recreate_interrupted(struct translator *translator, struct task *task,
				    const struct cache_location *location, struct target_regs *regs);

/* As app_state_recreate, for a thread that dies at this location. */
void app_state_recreate_dead(struct translator *translator, struct task *task, const struct cache_location *location,
			     struct target_regs *regs);

#endif
