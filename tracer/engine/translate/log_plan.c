#include "engine/translate/log_plan.h"

#include <string.h>

static uint8_t general(struct insn_register reg)
{
	return reg.file == REGISTER_GENERAL ? reg.number : LOG_NONE;
}

static bool is_on_stack(const struct insn_operand *operand)
{
	return operand->is_hidden && general(operand->base) == GENERAL_RSP;
}

static bool add_operand(struct log_plan *plan, size_t i, const struct insn_operands *operands,
			const struct insn_operand *operand, uint64_t constant)
{
	struct log_word word = {
		.insn = (uint8_t)i,
		.base = general(operand->base),
		.index = general(operand->index),
		.scale = operand->scale,
		.is_cut = operands->has_address_size && !is_on_stack(operand),
		.has_fs = operand->segment == SEGMENT_FS,
		.constant = constant,
	};

	if (word.base == LOG_NONE && word.index == LOG_NONE)
		word.is_cut = false;
	else if (word.is_cut)
		word.constant = (uint64_t)(int32_t)constant;
	if (word.constant != (uint64_t)(int32_t)word.constant &&
	    (word.base != LOG_NONE || word.index != LOG_NONE || word.has_fs))
		return false;
	plan->words[plan->n_words++] = word;
	return true;
}

/* RDI or RSI runs along what is repeated. */
static void add_length(struct log_plan *plan, size_t i)
{
	struct log_word word = plan->words[plan->n_words - 1];

	word.insn = (uint8_t)i;
	word.is_length = true;
	plan->words[plan->n_words++] = word;
}

static bool can_be_logged(const struct insn_operands *operands, const struct insn *insn)
{
	/* F3 0F AE /2: WRFSBASE changes what is taken to be the same while a thread is in translated code. */
	bool is_wrfsbase = insn->bytes[0] == 0xf3 && memchr(insn->bytes, 0xae, insn->length);

	if (is_wrfsbase)
		return false;
	for (size_t i = 0; operands->is_repeated && i < operands->n_operands; i++)
		if (operands->has_address_size || operands->operands[i].segment == SEGMENT_FS)
			return false;
	return true;
}

bool log_plan_add(struct log_plan *plan, size_t i, uint64_t va, const struct insn *insn, bool wants_words)
{
	struct insn_registers nothing = {.next_va = va + insn->length};
	struct insn_operands operands;
	size_t n_words = plan->n_words;
	bool is_known = insn_operands_decode(insn->bytes, insn->length, &operands);

	plan->uses_stolen[i] = !is_known || ((operands.read.general | operands.written.general | operands.address) &
					     1u << plan->stolen);
	if (!wants_words)
		return true;
	if (!is_known || !can_be_logged(&operands, insn) || plan->n_words + LOG_INSN_WORDS > LOG_WORDS_MAX)
		return false;
	for (size_t j = 0; j < operands.n_operands; j++)
		if (insn_operand_is_access(&operands.operands[j]) &&
		    !add_operand(plan, i, &operands, &operands.operands[j],
				 insn_operand_va(&operands, &operands.operands[j], &nothing))) {
			plan->n_words = n_words;
			return false;
		}
	if (operands.is_repeated)
		add_length(plan, i);
	return true;
}
