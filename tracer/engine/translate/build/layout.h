/* Decides which blocks are translated together and in what order they are laid out.
 *
 * Each time that the program stops for code without translation, the blocks that it can reach from there are
 * translated, too: a stop costs as much as translating some ten instructions. Blocks that are reached by falling
 * through or by a jump come right behind.
 */
#ifndef ITRACE_ENGINE_TRANSLATE_BUILD_LAYOUT_H
#define ITRACE_ENGINE_TRANSLATE_BUILD_LAYOUT_H

#include "engine/translate/translator.h"

/* The fragment for va, made with what it leads to if needed; one that is made gets an ibl_target for `site` in
 * front, unless that is SITE_NONE. The thread is stopped. NULL when va cannot be translated. */
struct fragment *layout_translate(struct translator *translator, struct thread *thread, uint64_t va, uint32_t site);

/* Adds an ibl_target for the fragment at va, which exists, unless there is one for this site. */
void layout_add_ibl_target(struct translator *translator, uint64_t va, uint32_t site);

/* As layout_add_ibl_target, for transfers that leave a fragment by counter `from`, which are counted. */
void layout_add_counted_ibl_target(struct translator *translator, uint64_t va, uint32_t from);

#endif
