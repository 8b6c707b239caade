/* Retires translated code: no thread may enter it any more; threads inside may run on to its end. */
#ifndef ITRACE_ENGINE_TRANSLATE_CONSISTENCY_RETIRE_H
#define ITRACE_ENGINE_TRANSLATE_CONSISTENCY_RETIRE_H

#include "engine/translate/translator.h"

/* The first function puts an exit stub in place of the first byte of a fragment; the second one removes it. */
void retire_put_stub(struct translator *translator, struct fragment *fragment);
void retire_remove_stub(struct translator *translator, struct fragment *fragment);

/* Retires a fragment and those that fall through into it. */
void retire_fragment(struct translator *translator, struct fragment *fragment);
void retire_all(struct translator *translator);

/* Retires the fragments that execute the byte at va. */
void retire_at(struct translator *translator, uint64_t va);

#endif
