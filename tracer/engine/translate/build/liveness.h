/* Liveness of the arithmetic flags and of R11, which translated code overwrites. */
#ifndef ITRACE_ENGINE_TRANSLATE_BUILD_LIVENESS_H
#define ITRACE_ENGINE_TRANSLATE_BUILD_LIVENESS_H

#include "engine/translate/build/block_ir.h"
#include "engine/translate/translator.h"

/* Returns the flags that code from va on may read. */
uint16_t liveness_flags_at(struct translator *translator, uint64_t va);

/* Returns true if the straight path from va certainly reads some flag. */
bool liveness_flags_are_read_at(struct translator *translator, uint64_t va);

/* Sets ir->flags_live. */
void liveness_find_flags(struct translator *translator, struct block_ir *ir);

/* Returns true if translated code for va expects the program's R11 in the register, false if in the area. The first
 * call for va decides. was_used: the program used R11 just before va. */
bool liveness_r11_in_register_at(struct translator *translator, uint64_t va, bool was_used);

#endif
