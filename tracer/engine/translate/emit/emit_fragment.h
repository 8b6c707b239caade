/* Turns block IR into machine code. */
#ifndef ITRACE_ENGINE_TRANSLATE_EMIT_EMIT_FRAGMENT_H
#define ITRACE_ENGINE_TRANSLATE_EMIT_EMIT_FRAGMENT_H

#include "engine/translate/emit/emitter.h"

enum {
	FRAGMENT_BYTES_MAX = 1 << 18, /* code of one fragment or ibl_target, with its fixups */
	FRAGMENT_COUNTERS_MAX = 3 + 2 * FRAGMENT_INSNS_MAX,
};

/* Emits a fragment. Returns the address of the program whose code must follow directly, or 0 if control never reaches
 * the fragment's end. */
uint64_t emit_fragment(struct translator *translator, const struct block_ir *ir, struct fixups *fixups);

/* Emits a jump to the code for va, as the end of the fragment emitted last. */
void emit_jump_to_next(struct translator *translator, struct fixups *fixups, uint64_t va);

#endif
