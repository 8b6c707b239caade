/* What a run executed, thread by thread, in temporary files; and another run that is compared with it while it goes on.
 * Neither is held in memory.
 *
 * The vDSO is left out: what it executes depends on when the kernel updates the time.
 */
#ifndef ITRACE_TESTS_FLOW_H
#define ITRACE_TESTS_FLOW_H

#include "source/source.h"
#include "told.h"

/* One thread of a run. */
struct flow_thread {
	FILE *insns; /* uint64_t: the address of each instruction */
	FILE *words; /* uint64_t: what each of them accesses (decode/insn_address.h) */
	FILE *told;  /* struct told */
	uint64_t n_insns;
	uint32_t last_insn; /* index in the profile of what was executed last; PROFILE_NONE: nothing */
	bool has_parted;    /* the comparison is over */
};

struct flow {
	struct flow_thread *threads;
	size_t n_threads, threads_capacity;
	uint64_t n_insns;
};

/* A place where two runs do not do the same. */
struct flow_place {
	bool is_found;
	uint32_t thread;
	uint64_t at;		   /* instructions that both executed before */
	uint64_t own_va, other_va; /* what came next, or was accessed; 0: the thread's end */
	char *lines; /* of the last instruction in common, if any, and of the compared run's next; or of the one that accesses */
};

enum { TOLD_SHOWN = 6 };

/* Compares a run with one that was recorded. */
struct flow_comparison {
	struct flow *recorded; /* read from its begin on */
	struct flow own;       /* no files */
	struct source *source;
	int same;			   /* enum told_kind: what is made the same in both */
	struct flow_place parting, access; /* the first of each */
	struct told told[TOLD_SHOWN][2];   /* [n_told] what differs that was told before they part: recorded, own */
	size_t n_told;
	uint64_t n_told_all;
	bool is_randomized;    /* its addresses are, in spite of all */
	struct told last_told; /* the last of these in the compared run */
	int kinds_told;	       /* enum told_kind: all of these */
};

/* Records what the batch executed, or what the call told. */
void flow_record(struct flow *flow, const struct profile *profile, const struct stream_batch *batch);
void flow_record_told(struct flow *flow, const struct profile *profile, const struct stream_syscall *call);

void flow_compare(struct flow_comparison *comparison, struct profile *profile, const struct stream_batch *batch);
void flow_compare_told(struct flow_comparison *comparison, const struct profile *profile,
		       const struct stream_syscall *call);

/* A call that a thread has just made, before the program sees its result: where that is to be the same as in the recorded
 * run, it is made so. Returns the result. */
uint64_t flow_make_same(struct flow_comparison *comparison, const struct profile *profile,
			const struct stream_syscall *call);

/* Whether a system call of this number was recorded. */
bool flow_has_call(struct flow *flow, int64_t number);

/* Reads from the begin on again. */
void flow_rewind(struct flow *flow);

/* At the run's end: threads that executed less than those recorded part there. */
void flow_compare_ends(struct flow_comparison *comparison, struct profile *profile);

void flow_deinit(struct flow *flow);
void flow_comparison_deinit(struct flow_comparison *comparison);

/* Exits where that cannot be. */
FILE *flow_open_temporary(void);

/* False in the vDSO. */
bool flow_is_compared(const struct profile *profile, const struct profile_insn *insn);

/* Writes the line of an instruction: address, function, bytes, text. */
void flow_write_insn(FILE *out, struct profile *profile, struct source *source, uint32_t insn);

#endif
