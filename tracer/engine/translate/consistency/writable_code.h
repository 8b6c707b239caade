/* Makes code translatable that the program can write to. */
#ifndef ITRACE_ENGINE_TRANSLATE_CONSISTENCY_WRITABLE_CODE_H
#define ITRACE_ENGINE_TRANSLATE_CONSISTENCY_WRITABLE_CODE_H

#include "engine/translate/translator.h"

/* Write-protects the code at va if the program can write to it and protection is possible and worthwhile. The thread
 * is stopped. */
void writable_code_protect(struct translator *translator, struct thread *thread, uint64_t va);

#endif
