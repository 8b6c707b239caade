/* What becomes of a thread that stopped in translated code: it goes on there, or stands where the program would, all registers its own. */
#include <signal.h>

#include "engine/translate/contexts/edges.h"
#include "engine/translate/translator.h"
#include "engine/translate/log/log.h"

/* regs are the program's own but for GS. */
static enum translate_outcome leave(struct translator *translator, struct task *task, struct target_regs *regs,
				    enum translate_outcome outcome)
{
	log_drain(translator, task);
	task->is_translated = false;
	regs->gs_base = task->own_gs_base;
	return thread_set_regs(task->thread, regs) ? outcome : TRANSLATE_DEAD;
}

static enum translate_outcome go_on_at(struct translator *translator, struct task *task, struct target_regs *regs,
				       const struct block *block, uint64_t va)
{
	if (!block) {
		regs->rip = va;
		return leave(translator, task, regs, TRANSLATE_LEFT);
	}
	edges_enter(translator, task, block);
	*area_word(task->area, AREA_R11) = regs->r11;
	log_resume(translator, task, regs);
	regs->rip = block->entry_va;
	if (!thread_set_regs(task->thread, regs))
		return TRANSLATE_DEAD;
	thread_resume(translator->engine->target, task->thread, RESUME_RUN, 0, regs->rip);
	return TRANSLATE_GOES_ON;
}

/* What is translated from now on is made better by what was executed. */
static void learn_if_due(struct translator *translator, const struct task *task)
{
	if (!traces_are_due(translator) || has_others(translator, task))
		return;
	if (traces_learn(translator, task))
		log_learn(translator, task);
}

static enum translate_outcome leave_by_exit(struct translator *translator, struct task *task, struct target_regs *regs,
					    struct exit exit)
{
	uint64_t va = exit_target(task, &exit, regs);
	uint32_t site;

	log_stop(translator, task, regs, false);
	edges_settle_exit(translator, task, va);
	edges_land(translator, task);
	traces_count_stop(translator);
	learn_if_due(translator, task);
	if (exit.r11_is_away)
		regs->r11 = *area_word(task->area, AREA_R11);
	switch (exit.kind) {
	case EXIT_INDIRECT:
		site = translator->sites[exit.va].first;
		if (get_block(translator, task, va, site))
			translate_landing(translator, task->thread, va, site);
		return go_on_at(translator, task, regs, get_block(translator, task, va, SITE_NONE), va);
	case EXIT_LINK:
		return go_on_at(translator, task, regs, get_block(translator, task, va, SITE_NONE), va);
	case EXIT_MOVES_RSP:
		task->must_reach_jump = true;
		break;
	case EXIT_STEP:
		break;
	}
	task->must_step = true;
	regs->rip = va;
	return leave(translator, task, regs, TRANSLATE_LEFT);
}

/* With the signal held back, until the program's state is whole. */
static enum translate_outcome run_on(struct translator *translator, struct task *task)
{
	thread_resume(translator->engine->target, task->thread, RESUME_STEP, 0, 0);
	return TRANSLATE_GOES_ON;
}

static enum translate_outcome deliver_held(struct translator *translator, struct task *task, struct target_regs *regs,
					   int *signal)
{
	struct place place;

	if (!find_place(translator, regs->rip, &place) || !settle_state(translator, task, &place, regs))
		return run_on(translator, task);
	*signal = task->held_signal == HELD_NOTHING ? 0 : task->held_signal;
	task->held_signal = 0;
	thread_set_signal_mask(task->thread, task->held_mask);
	if (leave(translator, task, regs, TRANSLATE_SIGNAL) == TRANSLATE_DEAD ||
	    (*signal && !thread_set_siginfo(task->thread, task->held_info)))
		return TRANSLATE_DEAD;
	return TRANSLATE_SIGNAL;
}

static enum translate_outcome empty_log(struct translator *translator, struct task *task, struct target_regs *regs)
{
	log_stop(translator, task, regs, false);
	log_make_room(translator, task);
	log_resume(translator, task, regs);
	if (!thread_set_regs(task->thread, regs))
		return TRANSLATE_DEAD;
	thread_resume(translator->engine->target, task->thread, RESUME_RUN, 0, regs->rip);
	return TRANSLATE_GOES_ON;
}

enum translate_outcome translate_on_signal(struct translator *translator, struct task *task, struct target_regs *regs,
					   int *signal)
{
	uint64_t cache_va;
	struct place place;

	if (!thread_get_regs(task->thread, regs))
		return TRANSLATE_DEAD;
	if (log_is_full(translator, task, *signal))
		return empty_log(translator, task, regs);
	if (!*signal)
		learn_if_due(translator, task);
	cache_va = regs->rip;
	if (find_place(translator, regs->rip, &place) &&
	    (*signal ? settle_state : settle_interrupted)(translator, task, &place, regs)) {
		if (*signal == SIGFPE || *signal == SIGILL)
			thread_change_signal_address(task->thread, cache_va, regs->rip);
		return leave(translator, task, regs, TRANSLATE_SIGNAL);
	}
	task->held_signal = *signal ? *signal : HELD_NOTHING;
	if ((*signal && !thread_get_siginfo(task->thread, task->held_info)) ||
	    !thread_get_signal_mask(task->thread, &task->held_mask))
		return TRANSLATE_DEAD;
	/* Linux resets the handler of a SIGTRAP that is blocked when a step ends. */
	thread_set_signal_mask(task->thread, ~(UINT64_C(1) << (SIGTRAP - 1)));
	return run_on(translator, task);
}

enum translate_outcome translate_on_trap(struct translator *translator, struct task *task, struct target_regs *regs,
					 int *signal)
{
	uint32_t exit;
	int code;

	if (!thread_get_regs(task->thread, regs))
		return TRANSLATE_DEAD;
	if (task->held_signal)
		return deliver_held(translator, task, regs, signal);
	exit = va_map_get(&translator->exit_at, regs->rip - 1);
	code = thread_signal_code(task->thread);
	if (exit != VA_MAP_NONE && code == TRAP_CODE_KERNEL)
		return leave_by_exit(translator, task, regs, translator->exits[exit]);
	/* Linux drops the INT3's own SIGTRAP while one that somebody sent is pending: the INT3 is still to come. */
	if (exit != VA_MAP_NONE && code <= SI_USER) {
		regs->rip--;
		if (!thread_set_regs(task->thread, regs))
			return TRANSLATE_DEAD;
	}
	*signal = SIGTRAP;
	return translate_on_signal(translator, task, regs, signal);
}

void translate_exiting(struct translator *translator, struct task *task)
{
	struct target_regs regs;
	struct place place;

	if (thread_get_regs(task->thread, &regs) && find_place(translator, regs.rip, &place))
		settle_death(translator, task, &place, &regs);
	translate_harvest(translator, task);
	task->is_translated = false;
}

void translate_gone(struct translator *translator, struct task *task)
{
	if (!task->area)
		return;
	translate_harvest(translator, task);
	cache_release_area(task->area);
	task->area = NULL;
	task->is_translated = false;
}
