/* One thread as the engine sees it: its visits, the signal handlers it is in, and the step under way. */
#ifndef ITRACE_ENGINE_TASK_H
#define ITRACE_ENGINE_TASK_H

#include "engine/visits/allocations.h"
#include "engine/code.h"
#include "engine/engine.h"
#include "engine/threads/rseq.h"
#include "engine/visits/batches.h"
#include "regions/triggers.h"
#include "regions/visits.h"
#include "target/target.h"

struct area;

struct handler_frame {
	uint64_t interrupted_rsp;
	uint32_t previous;		/* task->previous when it was entered */
	uint64_t stack_low, stack_high; /* of the alternate signal stack that it runs on; 0: on the program's */
};

#define HELD_NOTHING (-1)

struct task {
	struct thread *thread;
	struct visits visits;
	struct visits skipped;		/* passed through (every.h) */
	struct handler_frame *handlers; /* signal handlers entered while in a region and not returned from */
	size_t n_handlers, handlers_capacity;
	/* [n_counting] profile regions that each executed instruction counts into: for each visit in order one, and with
	 * plan->per_thread the thread's part of it behind. */
	uint32_t *counting;
	size_t n_counting, counting_capacity;
	uint32_t number;     /* in profile->threads; PROFILE_NONE: it was in no region yet */
	uint64_t n_executed; /* instructions that its shares of the regions in `counting` do not hold yet */
	uint32_t previous;   /* instruction executed last, in the same handler or outside all; PROFILE_NONE: none */

	struct task_stream stream; /* if the plan wants it */
	struct task_allocation allocation;

	/* A step under way: from `before`, with the instruction `site`. */
	bool is_stepping;
	bool is_injecting;   /* a signal goes with it: the next stop may be a handler's entry */
	bool may_restart;    /* the signal interrupted a system call that the kernel may restart */
	bool owns_landing;   /* it is there for this step only */
	uint64_t landing_va; /* a breakpoint where the step's unseen part ends; 0: the step has none */
	bool owns_tf;	     /* the program itself set TF: each instruction ends in a SIGTRAP of its own */
	struct code_site site;
	struct target_regs before;

	/* In translated code, where GS is not the program's. */
	bool is_translated;
	struct area *area; /* its memory for that; NULL: none yet */
	uint64_t own_gs_base;
	uint32_t
		entered; /* where edges are counted: how it got there is not counted yet; private to translate/edges.c */
	int held_signal; /* kept back while the thread runs on to a point where the program's state is whole, or HELD_NOTHING; 0: it does
			    not */
	uint8_t held_info[THREAD_SIGINFO_BYTES];
	uint64_t held_mask; /* the program's, while all signals are kept back */
	/* The next instruction, or all up to the next jump, are to be stepped. */
	bool must_step, must_reach_jump;
	uint64_t n_stepped; /* instructions since the first visit began */

	uint64_t
		section_abort_va; /* while it is in a restartable sequence, and no other thread runs; 0: it is in none */

	/* A trigger that was acted on and whose instruction did not retire yet. */
	uint64_t triggered_va, triggered_rsp;

	bool is_exiting; /* it said so */
	bool is_parked;	 /* stopped for good, about to be let go with parked_signal */
	int parked_signal;

	bool is_pinned;
	cpu_set_t own_cpus; /* while pinned: where the thread may really run */
};

struct run;
struct translator;

/* What counts one process. */
struct engine {
	struct run *run;
	const struct trace_plan *plan; /* the run's */
	struct target *target;	       /* the run's */
	struct process *process;
	struct profile *profile;
	uint64_t begin_ns;
	struct trigger_request request;
	char *range_name; /* of the request */
	struct triggers triggers;
	struct code code;
	struct rseq_sections sections;
	struct translator *translator; /* NULL: all is stepped */
	bool has_translated;	       /* it was used */
	bool is_attached;	       /* to a program that ran before */
	bool handles_sigtrap;	       /* the program, as of the last first visit of a thread or rt_sigaction */
	uint64_t n_instructions;       /* executed in any region */
	uint64_t *begun;	       /* [n_begun] visits, counted or not, by region; kept for --every */
	size_t n_begun, begun_capacity;
	uint32_t n_streams; /* threads that were part of the stream */
};

struct task *task_create(struct thread *thread);
void task_destroy(struct task *task);

/* Recomputes task->counting after a change of visits or handlers. */
void task_update_counting(struct engine *engine, struct task *task);

/* Begins and ends. now_ns from clock_now_ns(). */
void task_begin_visit(struct engine *engine, struct task *task, uint32_t region, enum visit_end end, uint64_t rsp);
void task_end_visit(struct engine *engine, struct task *task, uint32_t region, uint64_t rsp);

/* Ends what ends because the stack pointer rose: --function visits whose call returned or was left, and handlers left by
 * siglongjmp. Called after each instruction, which has been counted. */
void task_check_stack(struct engine *engine, struct task *task, const struct target_regs *after);

/* The thread ends or becomes another program: its visits are cut. */
void task_cut_visits(struct engine *engine, struct task *task);

void task_enter_handler(struct engine *engine, struct task *task, uint64_t interrupted_rsp, uint64_t entry_rsp);
void task_leave_handler(struct engine *engine, struct task *task);

/* Into all regions that count, without an order: how often an instruction was executed; less of it is subtracted, modulo 2^64. */
void task_add(struct engine *engine, struct task *task, uint32_t insn, uint64_t executions, uint64_t iterations);

/* One instruction, or a part of its iterations, into all regions that count. */
void task_count(struct engine *engine, struct task *task, uint32_t insn, uint64_t executions, uint64_t iterations);

/* The transfer, if it is one, from task->previous to an instruction that was executed after it and is the previous one now. */
void task_count_edge(struct engine *engine, struct task *task, uint32_t insn);

/* Tracer and thread on one processor: two to three times as many steps (tests/bench/README.md). Undone when the last
 * visit ends, and around system calls through which the program could see or inherit it. */
void task_pin(struct engine *engine, struct task *task);
void task_unpin(struct engine *engine, struct task *task);
bool syscall_sees_affinity(const struct task *task);

/* The thread was interrupted in a system call, which will begin anew. */
bool is_interrupted_syscall(const struct target_regs *regs);

/* step/step.c. Lets the task execute the one instruction at regs->rip, delivering `signal` first if not 0. */
void step_begin(struct engine *engine, struct task *task, const struct target_regs *regs, int signal);

/* The same once more, after it stopped before the instruction. */
void step_resume(struct engine *engine, struct task *task, int signal, uint64_t rip);

/* What came of a step that stopped with a SIGTRAP. */
enum step_outcome {
	STEP_EXECUTED,	      /* *after is where the thread stands now */
	STEP_HANDLER_ENTERED, /* nothing was executed, the thread stands at a handler's first instruction */
	STEP_SIGNAL,	      /* a SIGTRAP is to be delivered to the program: executed or not is accounted for */
	STEP_DEAD,	      /* the thread died meanwhile */
};
enum step_outcome step_finish(struct engine *engine, struct task *task, struct target_regs *after);

/* A step that stopped for another reason: counts what was executed of it. */
void step_abandon(struct engine *engine, struct task *task, const struct target_regs *after);

/* The thread dies inside the step: exit and exit_group never return but were executed. */
void step_exiting(struct engine *engine, struct task *task);

uint64_t clock_now_ns(void);

#endif
