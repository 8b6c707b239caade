/* One thread as the engine sees it. Private to engine/. */
#ifndef ITRACE_ENGINE_TASK_H
#define ITRACE_ENGINE_TASK_H

#include "decode/insn_address.h"
#include "engine/code.h"
#include "regions/visits.h"
#include "target/target.h"

struct area;
struct backend;

struct handler_frame {
	uint64_t interrupted_rsp;
	uint32_t previous;		/* task->previous when the handler was entered */
	uint64_t stack_low, stack_high; /* of the alternate signal stack that it runs on; 0: it runs on the program's */
};

/* The outermost call under way of a function that hands out memory (visits/allocations.h). */
struct task_allocation {
	bool is_pending;
	uint32_t function;   /* index of allocation_symbols() */
	uint64_t address_va; /* where posix_memalign stores its result; 0: the result is in RAX */
	uint64_t return_va, entry_rsp;
};

enum { BATCH_BLOCK_INSNS = 48 }; /* at most, in a block of the stream that was stepped */

/* The part of the stream that was not handed over yet (visits/batches.h). */
struct task_batch {
	bool has_number;
	uint32_t thread;   /* number in the stream */
	uint32_t handlers; /* in which the batch was executed */
	bool follows;	   /* stream_batch.follows */
	uint32_t insns[BATCH_BLOCK_INSNS];
	size_t n_insns; /* of the block under way */
	uint32_t *blocks;
	size_t n_blocks, blocks_capacity;
	uint64_t *addresses;
	size_t n_addresses, addresses_capacity;

	/* A REP string instruction of which some iterations were executed. */
	bool repeats;
	uint32_t rep_insn; /* index in profile->insns */
	uint64_t rep_addresses[INSN_MAX_OPERANDS];
	uint64_t rep_iterations;
};

#define DEFERRED_NOTHING (-1) /* task->deferred_signal: no signal, but itrace's wish to interrupt */

struct task {
	struct thread *thread;
	struct visits visits;
	struct visits skipped;		/* not counted (visits/visit_sampling.h) */
	struct handler_frame *handlers; /* signal handlers entered while in a region and not returned from */
	size_t n_handlers, handlers_capacity;
	/* [n_counting] profile regions that each executed instruction counts into: one for each visit in order, with
	 * plan->per_thread followed by the thread's own. */
	uint32_t *counting;
	size_t n_counting, counting_capacity;
	uint32_t number;	 /* in profile->threads; PROFILE_NONE: it was in no region yet */
	uint64_t n_executed;	 /* instructions that are not in the thread totals of the regions in `counting` yet */
	uint32_t previous;	 /* instruction executed last, in the same handler or outside all; PROFILE_NONE: none */
	struct task_batch batch; /* if the plan has a stream */
	struct task_allocation allocation;

	struct backend *backend; /* that executes the thread; NULL: it runs natively, or stands still between two */

	/* step/: a step under way, from the registers `before`, over the instruction `site`. */
	struct code_site site;
	struct target_regs before;
	bool is_injecting;	     /* it delivers a signal: the next stop may be a handler's entry */
	bool may_restart;	     /* the signal interrupted a system call that the kernel may restart */
	uint64_t step_breakpoint_va; /* where the step ends if the CPU does not trap there; 0: it does */
	bool owns_step_breakpoint;   /* the breakpoint is there for this step only */
	bool program_tf;	     /* the program itself set TF: each instruction ends in a SIGTRAP of its own */
	uint64_t n_stepped;	     /* instructions since the first visit began */

	/* translate/ */
	struct area *area; /* its data area; NULL: none yet */
	uint64_t program_gs_base;
	uint32_t entry_insn; /* private to contexts/edge_state.c */
	/* A signal that is kept back while the thread runs on to where the program's state can be recreated, or
	 * DEFERRED_NOTHING; 0: none. */
	int deferred_signal;
	uint8_t deferred_info[THREAD_SIGINFO_BYTES];
	uint64_t deferred_mask; /* the program's signal mask, while all signals are kept back */
	bool must_step;		/* the next instruction */
	bool must_reach_jump;	/* all instructions up to the next jump */

	uint64_t
		/* the thread is in a restartable sequence, and no other thread runs; 0: it is in none */
		section_abort_va;

	/* A trigger that was handled and whose instruction has not retired yet. */
	uint64_t triggered_va, triggered_rsp;

	bool is_exiting; /* the kernel reported that it is about to exit */
	bool is_parked;	 /* stopped for good, about to be detached with parked_signal */
	int parked_signal;

	bool is_pinned;
	cpu_set_t saved_cpus; /* the program's affinity while pinned */
};

#endif
