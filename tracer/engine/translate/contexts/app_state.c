#include <errno.h>

#include "engine/translate/contexts/edges.h"
#include "engine/translate/log/log.h"

bool find_place(struct translator *translator, uint64_t cache_va, struct place *place)
{
	const struct zone *zone = cache_find_zone(&translator->cache, cache_va);
	uint32_t exit = va_map_get(&translator->exit_at, cache_va);
	size_t low = 0, high, first, end, number;
	const uint32_t *blocks;
	uint64_t offset;

	*place = (struct place){.exit = exit == VA_MAP_NONE ? NULL : &translator->exits[exit]};
	if (!zone)
		return false;
	number = (size_t)(zone - translator->cache.zones);
	blocks = translator->zone_blocks[number];
	high = translator->n_zone_blocks[number];
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (translator->blocks[blocks[middle]].entry_va <= cache_va)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return false;
	place->block = &translator->blocks[blocks[low - 1]];
	first = place->block->first_point;
	end = blocks[low - 1] + 1 < translator->n_blocks ? translator->blocks[blocks[low - 1] + 1].first_point
							 : translator->n_points;
	offset = cache_va - place->block->entry_va;
	for (size_t i = first; i < end && translator->points[i].offset <= offset; i++)
		place->point = &translator->points[i];
	return place->point != NULL;
}

uint64_t exit_target(const struct task *task, const struct exit *exit, const struct target_regs *regs)
{
	if (exit->kind != EXIT_INDIRECT)
		return exit->va;
	return exit->va == SITE_RAX ? regs->rax : *area_word(task->area, AREA_TARGET);
}

static void take_back(const struct task *task, uint64_t *reg, uint64_t offset)
{
	*reg = *area_word(task->area, offset);
}

static void uncount_syscall(const struct task *task, uint64_t number)
{
	if (number < SYSCALL_NUMBERS)
		--*area_word(task->area, AREA_SYSCALL_COUNTS + number * 8);
}

static void uncount_iterations(struct translator *translator, struct task *task, const struct block *block, size_t insn,
			       uint64_t iterations)
{
	uint32_t index = block_insn_index(translator, &translator->insns[block->first_insn + insn]);

	task_add(translator->engine, task, index, 0, -iterations);
}

bool settle_state(struct translator *translator, struct task *task, const struct place *place, struct target_regs *regs)
{
	const struct block *block = place->block;
	const struct point *point = place->point;
	bool is_counted = regs->rip >= block->counted_va;

	if (place->exit) {
		if (place->exit->r11_is_away)
			take_back(task, &regs->r11, AREA_R11);
		log_stop(translator, task, regs, false);
		regs->rip = exit_target(task, place->exit, regs);
		edges_settle_exit(translator, task, regs->rip);
		return true;
	}
	switch ((enum point_kind)point->kind) {
	case POINT_FORWARD:
		return false;
	case POINT_SYSCALL_SITE:
	case POINT_SYSCALL_NUMBER:
		uncount_syscall(task, regs->rax);
		/* fallthrough */
	case POINT_SYSCALL:
		take_back(task, &regs->rcx, AREA_RCX);
		break;
	case POINT_SYSCALL_DONE:
		regs->rcx = block->end_va;
		break;
	case POINT_REP:
		uncount_iterations(translator, task, block, point->insn, regs->rcx);
		break;
	case POINT_CLEAN:
		break;
	}
	if (point->r11_is_away)
		take_back(task, &regs->r11, AREA_R11);
	log_stop(translator, task, regs, point->is_own);
	if (regs->rip >= block->logged_va)
		log_drain_part(translator, task, block, point->insn);
	edges_settle(translator, task, block, point->insn);
	/* It counts itself as a whole. */
	if (is_counted)
		--*counter_word(task, block->counter);
	harvest_part(translator, task, block, point->insn);
	translate_harvest(translator, task);
	regs->rip = point->insn < block->n_insns ? translator->insns[block->first_insn + point->insn].va
						 : block->end_va;
	return true;
}

/* Within a system call that did not return: as if it were yet to be made. */
static bool settle_in_syscall(struct translator *translator, struct task *task, const struct place *place,
			      struct target_regs *regs)
{
	const struct point before_syscall = {.kind = POINT_SYSCALL_SITE,
					     .r11_is_away = true,
					     .is_own = place->point->is_own};
	struct place before = *place;

	regs->rax = regs->orig_rax;
	regs->orig_rax = UINT64_MAX;
	before.point = &before_syscall;
	return settle_state(translator, task, &before, regs);
}

static bool is_in_syscall(const struct place *place, const struct target_regs *regs)
{
	return !place->exit && place->point->kind == POINT_SYSCALL_DONE && (int64_t)regs->orig_rax >= 0;
}

bool settle_interrupted(struct translator *translator, struct task *task, const struct place *place,
			struct target_regs *regs)
{
	if (is_in_syscall(place, regs) && (is_interrupted_syscall(regs) || (int64_t)regs->rax == -EINTR))
		return settle_in_syscall(translator, task, place, regs);
	return settle_state(translator, task, place, regs);
}

void settle_death(struct translator *translator, struct task *task, const struct place *place, struct target_regs *regs)
{
	if (is_in_syscall(place, regs) ? settle_in_syscall(translator, task, place, regs)
				       : settle_state(translator, task, place, regs))
		return;
	log_stop(translator, task, regs, place->point->is_own);
	if (regs->rip >= place->block->logged_va && regs->rip < place->block->told_va)
		log_drain_part(translator, task, place->block, place->block->n_insns);
	edges_settle_death(translator, task);
}
