/* Direct jumps between fragments. Other threads may execute code while it is patched. Each patch is one store, so
 * they see either the old or the new instruction. */
#ifndef ITRACE_ENGINE_TRANSLATE_LINK_LINKS_H
#define ITRACE_ENGINE_TRANSLATE_LINK_LINKS_H

#include "engine/translate/translator.h"

void links_deinit(struct links *links);
void links_clear(struct links *links);

/* Notes that the rel32 at patch_va must lead to the fragment at va. */
void links_add(struct translator *translator, uint64_t patch_va, uint64_t va);

/* Makes all links to va lead to entry_va. */
void links_resolve(struct translator *translator, uint64_t va, uint64_t entry_va);

/* Makes the rel32 at patch_va lead to to_va, in any zone. */
void links_patch(struct translator *translator, uint64_t patch_va, uint64_t to_va);

#endif
