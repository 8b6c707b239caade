/* Decides which blocks are translated together, and the order in which they are laid out.
 *
 * When the program stops for code without translation, the blocks that it can reach from there are translated, too,
 * because a stop costs as much as the translation of about ten instructions. A block reached by falling through or by
 * a jump is placed directly after its predecessor.
 */
#ifndef ITRACE_ENGINE_TRANSLATE_BUILD_LAYOUT_H
#define ITRACE_ENGINE_TRANSLATE_BUILD_LAYOUT_H

#include "engine/translate/translator.h"

/* Returns the fragment for va. Makes it if needed, with an ibl_target for `site` in front unless that is SITE_NONE,
 * and with the blocks that it leads to. The thread is stopped. Returns NULL if va cannot be translated. */
struct fragment *layout_translate(struct translator *translator, struct thread *thread, uint64_t va, uint32_t site);

/* Adds an ibl_target for the existing fragment at va, unless there is one for this site. The ibl_target counts the
 * transfers of an indirect branch that leaves its fragment by counter `from`, unless that is COUNTER_NONE. */
void layout_add_ibl_target(struct translator *translator, uint64_t va, uint32_t from, uint32_t site);

#endif
