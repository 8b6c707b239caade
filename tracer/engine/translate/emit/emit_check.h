/* Self-checking fragments: code of pages that are written to often (struct code_page, is_checked). Before it counts or
 * executes anything, such a fragment compares the program's bytes with those that it was translated from. If they
 * differ, it leads to an exit stub. */
#ifndef ITRACE_ENGINE_TRANSLATE_EMIT_EMIT_CHECK_H
#define ITRACE_ENGINE_TRANSLATE_EMIT_EMIT_CHECK_H

#include "engine/translate/emit/emitter.h"

enum { CHECKED_BYTES_MAX = 64 }; /* a self-checking fragment ends with the instruction that reaches this length */

/* Emits the comparison, at the fragment's beginning. All registers and flags keep the program's values. */
void emit_check(struct translator *translator, const struct block_ir *ir);

#endif
