/* Liveness of the arithmetic flags and of R11, which translated code overwrites. */
#ifndef ITRACE_ENGINE_TRANSLATE_BUILD_LIVENESS_H
#define ITRACE_ENGINE_TRANSLATE_BUILD_LIVENESS_H

#include "engine/translate/build/block_ir.h"
#include "engine/translate/translator.h"

/* The flags that code from va on may read. */
uint16_t liveness_flags_at(struct translator *translator, uint64_t va);

/* True when some flag is certainly read along the straight path from va. */
bool liveness_flags_are_read_at(struct translator *translator, uint64_t va);

/* Sets ir->flags_live. */
void liveness_find_flags(struct translator *translator, struct block_ir *ir);

/* True when translated code for va expects the program's R11 in the register, false: in the area. The first call for
 * va decides, by was_used: the program used R11 just before. */
bool liveness_r11_in_register_at(struct translator *translator, uint64_t va, bool was_used);

#endif
