/* Indirect branches: through the lookup table (link/ibl.h) or, inside a trace, on to the expected target. */
#ifndef ITRACE_ENGINE_TRANSLATE_EMIT_EMIT_INDIRECT_H
#define ITRACE_ENGINE_TRANSLATE_EMIT_EMIT_INDIRECT_H

#include "engine/translate/emit/emitter.h"

/* Emits instruction i of the fragment, an indirect branch. */
void emit_indirect(struct translator *translator, const struct emission *emission, size_t i);

/* Emits the code that leaves a trace after an indirect branch to an unexpected target. */
void emit_misprediction(struct translator *translator, const struct misprediction_fixup *fixup);

/* Emits the comparison of an ibl_target for va. emit_place_r11 and then the code for va, or a jump to it, must
 * follow. Returns the address of the rel32 that is taken if the target differs. */
uint64_t emit_ibl_target(struct translator *translator, uint64_t va, uint32_t site, bool keeps_flags);

/* Emits the miss code of all kinds of sites, and fills the table. */
void emit_ibl_misses(struct translator *translator);

#endif
