/* System calls that translated code performs itself. */
#ifndef ITRACE_ENGINE_TRANSLATE_EMIT_EMIT_SYSCALL_H
#define ITRACE_ENGINE_TRANSLATE_EMIT_EMIT_SYSCALL_H

#include "engine/translate/emit/emitter.h"

/* Emits a SYSCALL, the only instruction of its fragment: performed and counted by number if AREA_SYSCALL_NATIVE
 * allows it, else left to be stepped. Returns as emit_fragment. */
uint64_t emit_syscall(struct translator *translator, const struct emission *emission);

#endif
