/* Edges of threads that enter and leave translated code. An edge counts once its target was executed. If the target
 * was not executed, the edge is taken back. Each function does nothing unless edges are counted. */
#ifndef ITRACE_ENGINE_TRANSLATE_CONTEXTS_EDGE_STATE_H
#define ITRACE_ENGINE_TRANSLATE_CONTEXTS_EDGE_STATE_H

#include "engine/translate/translator.h"

/* The task enters translated code, at this fragment. */
void edge_state_enter(struct translator *translator, struct task *task, const struct fragment *fragment);

/* The task stopped before instruction `insn` of the fragment. */
void edge_state_stop(struct translator *translator, struct task *task, const struct fragment *fragment, size_t insn);

/* The task left by an exit stub; va is its next instruction. */
void edge_state_stop_at_exit(struct translator *translator, struct task *task, uint64_t va);

/* The task died inside inserted code. */
void edge_state_stop_dead(struct translator *translator, struct task *task);

#endif
