/* Records paths: distinct sequences of instructions, and the count of each pair of consecutive paths.
 *
 * The stream of a thread is cut into paths:
 * - at a backward jump, so that a path is an iteration of a loop
 * - after an indirect jump, so that a path is one case of a switch or one instruction of an interpreter
 * - at the end of a block once PATH_INSNS instructions are reached
 * - where the stream is interrupted or the regions change
 *
 * Calls and returns do not end a path. With logged addresses, the key of a path includes its loads from recent stores.
 * A path that differs from another only in such loads is a variant. A path has at most PATH_VARIANTS variants. Further
 * variants count as the first one.
 *
 * Memory is bounded. From PATHS_MAX paths on, new sequences count as paths of one block each. From PAIRS_MAX pairs of a
 * region on, new pairs count as pairs from PROFILE_NONE.
 */
#ifndef ITRACE_RECORDERS_PATHS_H
#define ITRACE_RECORDERS_PATHS_H

#include "stream/stream.h"

enum {
	PATH_INSNS = 64,
	PATH_VARIANTS = 8,
	PATH_DEPENDENCE_REACH = 2, /* number of earlier paths with stores that a load can depend on */
	PATHS_MAX = 1 << 17,
	PAIRS_MAX = 1 << 19,
};

struct path_recorder;

struct path_recorder *path_recorder_create(void);
void path_recorder_destroy(struct path_recorder *recorder);

/* Adds the next batch of a run. */
void path_recorder_add_batch(struct path_recorder *recorder, struct profile *profile, const struct stream_batch *batch);

/* Counts the unfinished path of a thread that has ended, and releases its state. */
void path_recorder_end_thread(struct path_recorder *recorder, struct profile *profile, uint32_t thread);

/* Counts unfinished paths after the last batch. */
void path_recorder_finish(struct path_recorder *recorder, struct profile *profile);

#endif
