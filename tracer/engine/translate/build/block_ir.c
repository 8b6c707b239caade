#include <string.h>

#include "engine/translate/translator.h"

/* These make blocks of their own. */
static bool stands_alone(const struct insn_effects *effects)
{
	return effects->copy == COPY_SYSCALL || effects->copy == COPY_MOVES_RSP || effects->copy == COPY_RBP_TO_RSP;
}

uint64_t draft_operand(const struct insn *insn, const struct insn_effects *effects, uint64_t va)
{
	int32_t displacement;

	memcpy(&displacement, insn->bytes + effects->displacement_offset, sizeof(displacement));
	return va + insn->length + (uint64_t)(int64_t)displacement;
}

/* Whether its RIP-relative operand, if it has one, can be reached from everywhere in the zone, or by way of R11. */
static bool is_in_reach(const struct zone *zone, const struct insn *insn, const struct insn_effects *effects,
			uint64_t va)
{
	uint8_t ignored[INSN_MAX_BYTES];

	if (!effects->displacement_offset || cache_serves(zone, draft_operand(insn, effects, va)))
		return true;
	if (effects->copy == COPY_TRANSFER)
		return insn->length == effects->displacement_offset + sizeof(int32_t) &&
		       effects->displacement_offset == 2;
	return effects->copy == COPY_SAME && !effects->reads_r11 && !insn->rep_count_bits &&
	       insn_address_by_r11(insn, ignored);
}

/* A block ends where another one begins, but a trace takes a copy of it. */
static bool is_known(struct translator *translator, const struct draft *draft, uint64_t va)
{
	if (!draft->n_insns || draft->insns[draft->n_insns - 1].insn.flow != FLOW_NEXT)
		return false;
	if (draft->is_trace)
		return va == draft->va && !traces_may_take(draft, va);
	return pages_was_translated(&translator->pages, va) && find_block(translator, va);
}

/* Plans the log for what is left of a draft, all of which could be logged. */
static void plan_log_anew(struct translator *translator, const struct draft *draft)
{
	struct log *log = &translator->log;

	if (!log->is_wanted)
		return;
	log_plan_begin(&log->plan);
	for (size_t i = 0; i < draft->n_insns; i++)
		log_plan_add(&log->plan, i, draft->insns[i].va, &draft->insns[i].insn, log->shapes.have_words);
}

bool draft_read(struct translator *translator, uint64_t va, struct draft *draft)
{
	const struct process *process = translator->engine->process;
	struct rseq_sections *sections = &translator->engine->sections;
	size_t n_planned = 0;

	draft->va = va;
	draft->n_insns = 0;
	draft->is_trace = traces_is_hot(translator, va);
	if (translator->log.is_wanted)
		log_plan_begin(&translator->log.plan);
	while (draft->n_insns < BLOCK_INSNS_MAX) {
		const struct insn_known *found;
		bool is_alone;

		if (va_map_get(&translator->stops, va) != VA_MAP_NONE || is_known(translator, draft, va) ||
		    rseq_sections_find(sections, va))
			break;
		found = pages_read_insn(&translator->pages, process, va);
		if (!found || found->effects.copy == COPY_NEVER ||
		    !is_in_reach(translator->zone, &found->insn, &found->effects, va) ||
		    (draft->n_insns && stands_alone(&found->effects)) ||
		    (translator->log.is_wanted && !log_plan_add(&translator->log.plan, draft->n_insns, va, &found->insn,
								translator->log.shapes.have_words)))
			break;
		draft->insns[draft->n_insns] =
			(struct block_insn){.va = va, .insn = found->insn, .index = PROFILE_NONE};
		draft->effects[draft->n_insns++] = found->effects;
		n_planned = draft->n_insns;
		is_alone = stands_alone(&found->effects);
		rseq_sections_note(sections, va, &found->insn);
		va += found->insn.length;
		/* Other threads may come to what is translated at once. */
		if (process->n_threads > 1)
			retire_sections(translator);
		if (is_alone)
			break;
		if (draft->insns[draft->n_insns - 1].insn.flow != FLOW_NEXT)
			va = traces_next(translator, draft);
		if (!va)
			break;
	}
	if (!draft->n_insns)
		return false;
	if (draft->n_insns < n_planned)
		plan_log_anew(translator, draft);
	draft->end_va = draft->insns[draft->n_insns - 1].va + draft->insns[draft->n_insns - 1].insn.length;
	draft_find_live_flags(translator, draft);
	return true;
}
