/* Records what a run executed, by thread, in temporary files, and compares another run with it while that one goes
 * on. Neither is kept in memory.
 *
 * Code in the vDSO is omitted: its execution depends on when the kernel updates the time.
 */
#ifndef ITRACE_TESTS_FLOW_H
#define ITRACE_TESTS_FLOW_H

#include "source/source.h"
#include "told.h"

/* A thread of a run. */
struct flow_thread {
	FILE *insns; /* uint64_t: the address of each instruction */
	FILE *words; /* uint64_t: the words of each instruction (decode/insn_address.h) */
	FILE *told;  /* struct told */
	uint64_t n_insns;
	uint32_t last_insn; /* index in the profile of the latest instruction; PROFILE_NONE: none */
	bool has_parted;    /* the comparison is over */
};

struct flow {
	struct flow_thread *threads;
	size_t n_threads, threads_capacity;
	uint64_t n_insns;
};

/* A place where two runs differ. */
struct flow_place {
	bool is_found;
	uint32_t thread;
	uint64_t at;		   /* number of instructions that both executed before */
	uint64_t own_va, other_va; /* the next instruction or accessed address; 0: the thread's end */
	char *lines; /* of the last common instruction and the compared run's next one, or of the accessing one */
};

enum { TOLD_SHOWN = 6 };

/* Compares a run with a recorded one. */
struct flow_comparison {
	struct flow *recorded; /* read from the beginning */
	struct flow own;       /* no files */
	struct source *source;
	int same;			   /* enum told_kind: kernel results that are replayed */
	struct flow_place parting, access; /* the first of each kind */
	struct told told[TOLD_SHOWN][2]; /* [n_told] kernel results that differed before the runs did: recorded, own */
	size_t n_told;
	uint64_t n_told_all;
	bool is_randomized;    /* its addresses are, in spite of all */
	struct told last_told; /* the last of these in the compared run */
	int kinds_told;	       /* enum told_kind: all of these */
};

/* Records the instructions of the batch, or the results of the call. */
void flow_record(struct flow *flow, const struct profile *profile, const struct stream_batch *batch);
void flow_record_told(struct flow *flow, const struct profile *profile, const struct stream_syscall *call);

void flow_compare(struct flow_comparison *comparison, struct profile *profile, const struct stream_batch *batch);
void flow_compare_told(struct flow_comparison *comparison, const struct profile *profile,
		       const struct stream_syscall *call);

/* Handles a call that a thread has made, before the program sees its result. Replays the recorded result if its kind
 * is to be replayed. Returns the result. */
uint64_t flow_make_same(struct flow_comparison *comparison, const struct profile *profile,
			const struct stream_syscall *call);

/* Returns true if a system call with this number was recorded. */
bool flow_has_call(struct flow *flow, int64_t number);

/* Starts reading from the beginning again. */
void flow_rewind(struct flow *flow);

/* Ends the comparison: a thread that executed less than the recorded one differs there. */
void flow_compare_ends(struct flow_comparison *comparison, struct profile *profile);

void flow_deinit(struct flow *flow);
void flow_comparison_deinit(struct flow_comparison *comparison);

/* Exits on failure. */
FILE *flow_open_temporary(void);

/* Returns false in the vDSO. */
bool flow_is_compared(const struct profile *profile, const struct profile_insn *insn);

/* Writes the line of an instruction: address, function, bytes, text. */
void flow_write_insn(FILE *out, struct profile *profile, struct source *source, uint32_t insn);

#endif
