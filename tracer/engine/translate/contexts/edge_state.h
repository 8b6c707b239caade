/* Edges of threads that enter and leave translated code. An edge counts when its target was executed. If the target
 * was not executed, the edge is subtracted. The functions do nothing if edges are not counted. */
#ifndef ITRACE_ENGINE_TRANSLATE_CONTEXTS_EDGE_STATE_H
#define ITRACE_ENGINE_TRANSLATE_CONTEXTS_EDGE_STATE_H

#include "engine/translate/translator.h"

/* Notes that the task enters translated code, at this fragment. */
void edge_state_enter(struct translator *translator, struct task *task, const struct fragment *fragment);

/* Makes the counts of edges exact for a task that stopped before instruction `insn` of the fragment. */
void edge_state_stop(struct translator *translator, struct task *task, const struct fragment *fragment, size_t insn);

/* As edge_state_stop, for a task that left by an exit stub. va: the task's next instruction. */
void edge_state_stop_at_exit(struct translator *translator, struct task *task, uint64_t va);

/* Counts the edge by which a task entered translated code. The task died inside inserted code. */
void edge_state_stop_dead(struct translator *translator, struct task *task);

#endif
