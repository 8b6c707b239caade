#include "engine/translate/contexts/cache_exits.h"

#include <signal.h>

#include "engine/syscalls.h"
#include "engine/translate/consistency/syscall_effects.h"
#include "engine/translate/build/layout.h"
#include "engine/translate/contexts/app_state.h"
#include "engine/translate/contexts/collect.h"
#include "engine/translate/contexts/dispatch.h"
#include "engine/translate/contexts/edge_state.h"
#include "engine/translate/log/log.h"
#include "engine/translate/traces/predictions.h"
#include "engine/translate/traces/schedule.h"
#include "engine/translate/traces/traces.h"
#include "engine/visits/task_visits.h"

/* Leaves translated code. *regs are the program's own except for GS. */
static enum backend_outcome leave(struct translator *translator, struct task *task, struct target_regs *regs)
{
	log_drain(translator, task);
	task->backend = NULL;
	regs->gs_base = task->program_gs_base;
	return thread_set_regs(task->thread, regs) ? BACKEND_OUT : BACKEND_DEAD;
}

/* The thread left by an exit stub, so no signal awaits delivery. A visit that ends at the thread's address was left
 * by a jump. */
static enum backend_outcome leave_at(struct translator *translator, struct task *task, struct target_regs *regs,
				     uint64_t va)
{
	enum backend_outcome outcome;

	regs->rip = va;
	outcome = leave(translator, task, regs);
	if (outcome == BACKEND_OUT && !task->must_reach_jump) {
		task->site.insn.flow = FLOW_JUMP;
		task_check_stack(translator->engine, task, regs);
	}
	return outcome;
}

static enum backend_outcome continue_inside(struct translator *translator, struct task *task,
					    const struct target_regs *regs)
{
	if (!thread_set_regs(task->thread, regs))
		return BACKEND_DEAD;
	thread_resume(translator->engine->target, task->thread, RESUME_RUN, 0, regs->rip);
	return BACKEND_RUNS;
}

static bool is_learning_due(struct translator *translator, const struct task *task)
{
	return schedule_is_due(translator) && !dispatch_has_other_threads(translator, task);
}

/* Learns traces and the register to steal from the counters, if that is due. */
static void learn_if_due(struct translator *translator, const struct task *task)
{
	if (is_learning_due(translator, task) && traces_learn(translator, task))
		log_learn(translator, task);
}

/* Continues at va, in translated code if there is any. */
static enum backend_outcome continue_at(struct translator *translator, struct task *task, struct target_regs *regs,
					uint64_t va)
{
	const struct fragment *fragment = dispatch_fragment(translator, task, va, SITE_NONE);

	if (!fragment)
		return leave_at(translator, task, regs, va);
	edge_state_enter(translator, task, fragment);
	*area_word(task->area, AREA_R11) = regs->r11;
	log_swap_in(translator, task, regs);
	regs->rip = fragment->entry_va;
	return continue_inside(translator, task, regs);
}

static enum backend_outcome leave_by_exit_stub(struct translator *translator, struct task *task,
					       struct target_regs *regs, struct exit_stub stub)
{
	uint64_t va = app_state_exit_target(task, &stub, regs);
	uint32_t site;

	if (stub.kind == EXIT_STEP && syscall_effects_apply_early(translator, regs)) {
		/* The system call follows behind the stub. */
		thread_resume(translator->engine->target, task->thread, RESUME_RUN, 0, regs->rip);
		return BACKEND_RUNS;
	}
	log_swap_out(translator, task, regs, false);
	edge_state_stop_at_exit(translator, task, va);
	dispatch_count_recorded_edges(translator, task);
	translator->traces.schedule.n_stops++;
	learn_if_due(translator, task);
	if (stub.r11_in_area)
		regs->r11 = *area_word(task->area, AREA_R11);
	switch (stub.kind) {
	case EXIT_INDIRECT:
		site = translator->ibl.sites[stub.va].first;
		if (dispatch_fragment(translator, task, va, site))
			layout_add_ibl_target(translator, va, COUNTER_NONE, site);
		return continue_at(translator, task, regs, va);
	case EXIT_LINK:
		return continue_at(translator, task, regs, va);
	case EXIT_MOVES_RSP:
		task->must_reach_jump = true;
		break;
	case EXIT_STEP:
		break;
	}
	task->must_step = true;
	return leave_at(translator, task, regs, va);
}

/* The thread is inside inserted code. Defers the signal and steps the thread until the program's state can be
 * recreated. */
static enum backend_outcome step_to_known_state(struct translator *translator, struct task *task)
{
	thread_resume(translator->engine->target, task->thread, RESUME_STEP, 0, 0);
	return BACKEND_RUNS;
}

static enum backend_outcome deliver_deferred(struct translator *translator, struct task *task, struct target_regs *regs,
					     int *signal)
{
	struct cache_location location;

	/* Another thread's write may have put an exit stub where this thread was about to step. */
	if (va_map_get(&translator->fragments.exit_stub_at, regs->rip - 1) != VA_MAP_NONE &&
	    thread_signal_code(task->thread) == TRAP_CODE_KERNEL)
		regs->rip--;
	if (!fragments_locate(&translator->fragments, &translator->cache, regs->rip, &location) ||
	    !app_state_recreate(translator, task, &location, regs))
		return step_to_known_state(translator, task);
	*signal = task->deferred_signal == DEFERRED_NOTHING ? 0 : task->deferred_signal;
	task->deferred_signal = 0;
	thread_set_signal_mask(task->thread, task->deferred_mask);
	if (leave(translator, task, regs) == BACKEND_DEAD ||
	    (*signal && !thread_set_siginfo(task->thread, task->deferred_info)))
		return BACKEND_DEAD;
	return BACKEND_OUT;
}

static enum backend_outcome defer_signal(struct translator *translator, struct task *task, int signal)
{
	task->deferred_signal = signal ? signal : DEFERRED_NOTHING;
	if ((signal && !thread_get_siginfo(task->thread, task->deferred_info)) ||
	    !thread_get_signal_mask(task->thread, &task->deferred_mask))
		return BACKEND_DEAD;
	/* Linux resets the handler of SIGTRAP if a step ends while SIGTRAP is blocked. */
	thread_set_signal_mask(task->thread, ~(UINT64_C(1) << (SIGTRAP - 1)));
	return step_to_known_state(translator, task);
}

static enum backend_outcome empty_log(struct translator *translator, struct task *task, struct target_regs *regs)
{
	log_swap_out(translator, task, regs, false);
	log_make_room(translator, task);
	log_swap_in(translator, task, regs);
	return continue_inside(translator, task, regs);
}

enum backend_outcome cache_exits_on_signal(struct backend *backend, struct task *task, struct target_regs *regs,
					   int *signal)
{
	struct translator *translator = translator_of(backend);
	struct cache_location location;
	uint64_t cache_va;

	if (!thread_get_regs(task->thread, regs))
		return BACKEND_DEAD;
	if (log_is_full(translator, task, *signal))
		return empty_log(translator, task, regs);
	if (!*signal)
		learn_if_due(translator, task);
	cache_va = regs->rip;
	if (!fragments_locate(&translator->fragments, &translator->cache, cache_va, &location) ||
	    !(*signal ? app_state_recreate : app_state_recreate_interrupted)(translator, task, &location, regs))
		return defer_signal(translator, task, *signal);
	/* These signals carry the address of the instruction that raised them. */
	if (*signal == SIGFPE || *signal == SIGILL)
		thread_change_signal_address(task->thread, cache_va, regs->rip);
	return leave(translator, task, regs);
}

enum backend_outcome cache_exits_on_trap(struct backend *backend, struct task *task, struct target_regs *regs,
					 int *signal)
{
	struct translator *translator = translator_of(backend);
	uint32_t stub;
	int code;

	if (!thread_get_regs(task->thread, regs))
		return BACKEND_DEAD;
	if (task->deferred_signal)
		return deliver_deferred(translator, task, regs, signal);
	stub = va_map_get(&translator->fragments.exit_stub_at, regs->rip - 1);
	code = thread_signal_code(task->thread);
	if (stub != VA_MAP_NONE && code == TRAP_CODE_KERNEL)
		return leave_by_exit_stub(translator, task, regs, translator->fragments.exit_stubs[stub]);
	/* Linux drops the SIGTRAP of the INT3 while a SIGTRAP that a process sent is pending: go back to the INT3's
	 * address. */
	if (stub != VA_MAP_NONE && code <= SI_USER) {
		regs->rip--;
		if (!thread_set_regs(task->thread, regs))
			return BACKEND_DEAD;
	}
	*signal = SIGTRAP;
	return cache_exits_on_signal(backend, task, regs, signal);
}

bool cache_exits_on_tick(struct backend *backend, const struct task *task)
{
	struct translator *translator = translator_of(backend);

	if (!dispatch_is_inside(translator, task) || task->deferred_signal)
		return false;
	/* Counts must be complete to tell when the limit is reached. */
	if (translator->engine->plan->max_instructions)
		return true;
	predictions_sample(translator, task, schedule_now(translator));
	schedule_detect_phase(translator, task);
	/* Some system calls fail if they are interrupted (signal(7)). Better code can wait until they end. */
	return is_learning_due(translator, task) && thread_is_running(task->thread);
}

enum backend_outcome cache_exits_on_interrupt(struct backend *backend, struct task *task, struct target_regs *regs,
					      int *signal)
{
	struct translator *translator = translator_of(backend);
	const struct engine *engine = translator->engine;

	if (task->deferred_signal)
		return step_to_known_state(translator, task);
	if (!thread_get_regs(task->thread, regs))
		return BACKEND_DEAD;
	if (engine->run->is_leaving || translator->is_recalling || task->must_step ||
	    ((engine->plan->max_instructions || is_learning_due(translator, task)) && !syscalls_is_interrupted(regs)))
		return cache_exits_on_signal(backend, task, regs, signal);
	thread_resume(engine->target, task->thread, RESUME_RUN, 0, regs->rip);
	return BACKEND_RUNS;
}

void cache_exits_on_exiting(struct backend *backend, struct task *task)
{
	struct translator *translator = translator_of(backend);
	struct cache_location location;
	struct target_regs regs;

	if (thread_get_regs(task->thread, &regs) &&
	    fragments_locate(&translator->fragments, &translator->cache, regs.rip, &location))
		app_state_recreate_dead(translator, task, &location, &regs);
	collect_counters(translator, task);
	task->backend = NULL;
}
