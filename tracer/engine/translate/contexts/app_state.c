#include "engine/translate/contexts/app_state.h"

#include <errno.h>

#include "engine/syscalls.h"
#include "engine/translate/contexts/collect.h"
#include "engine/translate/contexts/edge_state.h"
#include "engine/translate/log/log.h"
#include "engine/visits/counting.h"

uint64_t app_state_exit_target(const struct task *task, const struct exit_stub *stub, const struct target_regs *regs)
{
	if (stub->kind != EXIT_INDIRECT)
		return stub->va;
	return stub->va == SITE_RAX ? regs->rax : *area_word(task->area, AREA_TARGET);
}

/* Recreates the program's state at the INT3 of an exit stub. */
static void recreate_at_exit(struct translator *translator, struct task *task, const struct exit_stub *stub,
			     struct target_regs *regs)
{
	if (stub->r11_in_area)
		regs->r11 = *area_word(task->area, AREA_R11);
	log_swap_out(translator, task, regs, false);
	regs->rip = app_state_exit_target(task, stub, regs);
	edge_state_stop_at_exit(translator, task, regs->rip);
}

/* Undoes counts and register changes that translated code made before their instruction. */
static void undo_state(struct translator *translator, struct task *task, const struct cache_location *location,
		       struct target_regs *regs)
{
	uint32_t insn;

	switch ((enum state_kind)location->state->kind) {
	case STATE_SYSCALL_SITE:
	case STATE_SYSCALL_NUMBER:
		if (regs->rax < SYSCALL_NUMBERS)
			--*area_word(task->area, AREA_SYSCALL_COUNTS + regs->rax * 8);
		/* fallthrough */
	case STATE_SYSCALL:
		regs->rcx = *area_word(task->area, AREA_RCX);
		break;
	case STATE_SYSCALL_DONE:
		regs->rcx = location->fragment->end_va;
		break;
	case STATE_REP:
		insn = translator_index_of(translator, location->fragment, location->state->insn);
		task_add_counts(translator->engine, task, insn, 0, -regs->rcx);
		break;
	case STATE_CLEAN:
	case STATE_INTERNAL:
		break;
	}
}

bool app_state_recreate(struct translator *translator, struct task *task, const struct cache_location *location,
			struct target_regs *regs)
{
	const struct fragment *fragment = location->fragment;
	const struct state_map_entry *state = location->state;
	bool is_counted = regs->rip >= fragment->counted_va;

	if (location->stub) {
		recreate_at_exit(translator, task, location->stub, regs);
		return true;
	}
	if (state->kind == STATE_INTERNAL)
		return false;
	undo_state(translator, task, location, regs);
	if (state->r11_in_area)
		regs->r11 = *area_word(task->area, AREA_R11);
	log_swap_out(translator, task, regs, state->has_program_value);
	if (regs->rip >= fragment->record_begin_va)
		log_drain_partial(translator, task, fragment, state->insn);
	edge_state_stop(translator, task, fragment, state->insn);
	/* The counter stands for complete executions of the fragment. This execution is counted by instruction. */
	if (is_counted)
		--*counter_word(task, fragment->counter);
	collect_partial_fragment(translator, task, fragment, state->insn);
	/* Counts must be complete to tell when the limit is reached. */
	if (translator->engine->plan->max_instructions)
		collect_counters(translator, task);
	regs->rip = state->insn < fragment->n_insns ? translator_insns(translator, fragment)[state->insn].va
						    : fragment->end_va;
	return true;
}

/* For a thread in a system call that did not return: recreates the state before the call. */
static bool recreate_in_syscall(struct translator *translator, struct task *task, const struct cache_location *location,
				struct target_regs *regs)
{
	const struct state_map_entry before_call = {.kind = STATE_SYSCALL_SITE,
						    .r11_in_area = true,
						    .has_program_value = location->state->has_program_value};
	struct cache_location before = *location;

	regs->rax = regs->orig_rax;
	regs->orig_rax = UINT64_MAX;
	before.state = &before_call;
	return app_state_recreate(translator, task, &before, regs);
}

static bool is_in_syscall(const struct cache_location *location, const struct target_regs *regs)
{
	return !location->stub && location->state->kind == STATE_SYSCALL_DONE && (int64_t)regs->orig_rax >= 0;
}

bool app_state_recreate_interrupted(struct translator *translator, struct task *task,
				    const struct cache_location *location, struct target_regs *regs)
{
	if (is_in_syscall(location, regs) && (syscalls_is_interrupted(regs) || (int64_t)regs->rax == -EINTR))
		return recreate_in_syscall(translator, task, location, regs);
	return app_state_recreate(translator, task, location, regs);
}

void app_state_recreate_dead(struct translator *translator, struct task *task, const struct cache_location *location,
			     struct target_regs *regs)
{
	const struct fragment *fragment = location->fragment;
	bool is_recreated = is_in_syscall(location, regs) ? recreate_in_syscall(translator, task, location, regs)
							  : app_state_recreate(translator, task, location, regs);

	if (is_recreated)
		return;
	log_swap_out(translator, task, regs, location->state->has_program_value);
	if (regs->rip >= fragment->record_begin_va && regs->rip < fragment->record_end_va)
		log_drain_partial(translator, task, fragment, fragment->n_insns);
	edge_state_stop_dead(translator, task);
}
