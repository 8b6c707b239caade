/* Makes code translatable that the program can write to. */
#ifndef ITRACE_ENGINE_TRANSLATE_CONSISTENCY_WRITABLE_CODE_H
#define ITRACE_ENGINE_TRANSLATE_CONSISTENCY_WRITABLE_CODE_H

#include "engine/translate/translator.h"

/* If the program can write to the code at va, write-protects it, where possible and worthwhile. The thread is
 * stopped. */
void writable_code_protect(struct translator *translator, struct thread *thread, uint64_t va);

#endif
