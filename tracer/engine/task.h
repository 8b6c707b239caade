/* One thread as the engine sees it. Private to engine/. */
#ifndef ITRACE_ENGINE_TASK_H
#define ITRACE_ENGINE_TASK_H

#include "decode/insn_address.h"
#include "engine/code.h"
#include "regions/visits.h"
#include "target/target.h"

struct area;
struct backend;
struct engine;

struct handler_frame {
	uint64_t interrupted_rsp;
	uint32_t previous; /* saved value of task->previous, from before the handler */
	/* Bounds of the handler's alternate signal stack. 0: it runs on the program's stack. */
	uint64_t stack_low, stack_high;
};

/* The outermost pending call of a function that hands out memory (visits/allocations.h). */
struct task_allocation {
	bool is_pending;
	uint32_t function;   /* index of allocation_symbols() */
	uint64_t address_va; /* where posix_memalign stores its result; 0: the result is in RAX */
	uint64_t return_va, entry_rsp;
};

enum { BATCH_BLOCK_INSNS = 48 }; /* instructions of a stepped block of the stream, at most */

/* The part of the stream that was not passed to the consumer yet (visits/batches.h). */
struct task_batch {
	bool has_number;
	uint32_t thread;      /* number in the stream */
	uint32_t handlers;    /* number of handlers in which the batch was executed */
	bool is_continuation; /* stream_batch.is_continuation */
	uint32_t insns[BATCH_BLOCK_INSNS];
	size_t n_insns; /* instructions of the current, unfinished block */
	uint32_t *blocks;
	size_t n_blocks, blocks_capacity;
	uint64_t *addresses;
	size_t n_addresses, addresses_capacity;

	/* A REP string instruction has executed some of its iterations, and is not finished. */
	bool repeats;
	uint32_t rep_insn; /* index in profile->insns */
	uint64_t rep_addresses[INSN_MAX_OPERANDS];
	uint64_t rep_iterations;
};

#define DEFERRED_NOTHING (-1) /* value of task->deferred_signal: itrace wants to interrupt; there is no signal */

struct task {
	struct thread *thread;
	struct visits visits;
	struct visits skipped;		/* visits that are not counted (visits/visit_sampling.h) */
	struct handler_frame *handlers; /* signal handlers entered while in a region and not returned from */
	size_t n_handlers, handlers_capacity;
	/* [n_counting] the profile regions that each executed instruction counts into: one for each visit, in order
	 * of the visits. With plan->per_thread the thread's own region follows each of them. */
	uint32_t *counting;
	size_t n_counting, counting_capacity;
	struct idle_counting {
		uint32_t *counting;
		size_t n_counting, counting_capacity;
		struct area *area;
	} idle;		     /* other regions, with counts that were not collected (visits/counting.h) */
	uint32_t number;     /* in profile->threads; PROFILE_NONE: the thread was in no region yet */
	uint64_t n_executed; /* instructions not yet added to the thread's totals of the regions in `counting` */
	uint32_t previous; /* last executed instruction in this handler, or outside all handlers; PROFILE_NONE: none */
	struct task_batch batch; /* unused if the plan has no stream */
	struct task_allocation allocation;

	struct backend *backend; /* executes the thread; NULL: the thread runs natively, or is between two backends */

	/* step/: a step in progress, from the registers `before`, over the instruction `site`. */
	struct code_site site;
	struct target_regs before;
	bool is_injecting;	     /* the step delivers a signal: the next stop may be at a handler's entry */
	bool may_restart;	     /* the signal interrupted a system call that the kernel may restart */
	uint64_t step_breakpoint_va; /* a breakpoint that ends the step if the CPU does not trap there; 0: none */
	bool owns_step_breakpoint;   /* the breakpoint was planted for this step only */
	uint64_t signalled_ns;	     /* time at which the latest signal arrived, even if it was deferred */
	uint64_t returned_ns;	     /* time at which the latest handler returned */
	uint64_t handled_ns;	     /* time from the arrival of the latest signal to the return of its handler */
	uint64_t frame_mask_va;	     /* address of the changed mask that the step's sigreturn takes; 0: not changed */
	uint64_t frame_mask;	     /* the mask before that change */
	uint64_t n_handler_steps;    /* instructions stepped since the first of n_dense_signals arrived */
	unsigned n_dense_signals;    /* in a row, each of which left the thread less time than the one before it took */
	bool is_signal_dense;	     /* n_dense_signals has reached its limit: signals are postponed */
	bool program_tf;	     /* the program itself set TF: each of its instructions raises a SIGTRAP */
	uint64_t n_stepped;	     /* instructions stepped since the first visit began */

	/* translate/ */
	struct area *area; /* its data area; NULL: none yet */
	uint64_t program_gs_base;
	uint32_t entry_insn; /* private to contexts/edge_state.c */
	/* A signal that waits until the thread reaches a state from which the program's state can be recreated, or
	 * DEFERRED_NOTHING; 0: none. */
	int deferred_signal;
	uint8_t deferred_info[THREAD_SIGINFO_BYTES];
	uint64_t deferred_mask; /* the program's signal mask, saved while itrace blocks all signals */
	bool must_step;		/* step the next instruction */
	bool must_reach_jump;	/* step all instructions up to the next jump */

	/* Abort handler of the restartable sequence that the thread is in, with other threads stopped. 0: none. */
	uint64_t section_abort_va;

	/* A trigger that was handled. The instruction there has not retired yet. */
	uint64_t triggered_va, triggered_rsp;

	bool is_native;	 /* runs, or ran until it stopped, outside regions; set by task_set_native() */
	bool is_exiting; /* the kernel reported that the thread is about to exit */
	bool is_parked;	 /* kept stopped until it is detached, with parked_signal */
	int parked_signal;

	unsigned n_steps_in_row; /* steps since the thread was last in translated code */
	bool is_pinned;
	cpu_set_t saved_cpus; /* the program's affinity, saved while the thread is pinned */
};

/* Call task_pin_for_steps() before each step. A thread that makes many steps in a row is kept on the processor of
 * itrace, which makes steps two to three times as fast (tests/bench/README.md). Undone when the thread enters
 * translated code, when the last visit ends, and during system calls by which the program could see or inherit the
 * affinity. */
void task_pin_for_steps(struct engine *engine, struct task *task);
void task_unpin(struct engine *engine, struct task *task);

#endif
