/* System calls that translated code performs itself. */
#ifndef ITRACE_ENGINE_TRANSLATE_EMIT_EMIT_SYSCALL_H
#define ITRACE_ENGINE_TRANSLATE_EMIT_EMIT_SYSCALL_H

#include "engine/translate/emit/emitter.h"

/* Emits a SYSCALL, which is a fragment by itself. If AREA_SYSCALL_NATIVE allows the call, translated code makes it
 * and counts it by number. Otherwise it is stepped. Returns as emit_fragment. */
uint64_t emit_syscall(struct translator *translator, const struct emission *emission);

#endif
