/* Condenses a stream into paths: distinct sequences of instructions, and how often each was executed behind which other.
 *
 * The stream of a thread is cut
 *
 *   where a jump leads backward: so a path is an iteration of a loop
 *   behind an indirect jump: so it is one case of a switch, one instruction of an interpreter
 *   at the end of a block once PATH_INSNS instructions are reached
 *   where the stream does not follow, or the regions change
 *
 * Calls and returns do not cut. Where addresses are logged, a path has the pattern of its loads from recent stores in its key: the
 * same instructions with another pattern are another path, PATH_VARIANTS of them at most; others count as the first.
 *
 * Memory is bounded: from PATHS_MAX paths on, new sequences are counted as paths of one block each, and from PAIRS_MAX pairs
 * of a region on, new pairs as from PROFILE_NONE.
 */
#ifndef ITRACE_RECORDERS_PATHS_H
#define ITRACE_RECORDERS_PATHS_H

#include "stream/stream.h"

enum {
	PATH_INSNS = 64,
	PATH_VARIANTS = 8,
	PATH_ALIAS_REACH = 2, /* paths back */
	PATHS_MAX = 1 << 17,
	PAIRS_MAX = 1 << 19,
};

struct path_builder;

struct path_builder *path_builder_create(void);
void path_builder_destroy(struct path_builder *builder);

/* Takes all batches of a run. */
void path_builder_add(struct path_builder *builder, struct profile *profile, const struct stream_batch *batch);

/* No batch of the thread comes any more: what is under way is counted, and what it took released. */
void path_builder_end_thread(struct path_builder *builder, struct profile *profile, uint32_t thread);

/* After the last batch: what is under way is counted. */
void path_builder_finish(struct path_builder *builder, struct profile *profile);

#endif
