#include "engine/translate/log_plan.h"

#include <string.h>

enum { R11 = 11, R15 = 15 };

void log_plan_init(struct log_plan *plan)
{
	plan->n_slots = plan->n_words = 0;
	memset(plan->known, LOG_NONE, sizeof(plan->known));
	memset(plan->more, 0, sizeof(plan->more));
}

static uint8_t general(struct insn_register reg)
{
	return reg.file == REGISTER_GENERAL ? reg.number : LOG_NONE;
}

static uint8_t add_slot(struct log_plan *plan, struct log_slot slot)
{
	plan->slots[plan->n_slots] = slot;
	return (uint8_t)plan->n_slots++;
}

/* The slot for a register before instruction i. */
static uint8_t find_slot(struct log_plan *plan, size_t i, uint8_t reg, uint64_t *constant)
{
	if (plan->known[reg] == LOG_NONE) {
		plan->known[reg] = add_slot(plan,
					    (struct log_slot){.insn = (uint8_t)i, .base = reg, .index = LOG_NONE});
		plan->more[reg] = 0;
	}
	*constant += plan->more[reg];
	return plan->known[reg];
}

static bool is_on_stack(const struct insn_operand *operand)
{
	return operand->is_hidden && general(operand->base) == GENERAL_RSP;
}

static void add_operand(struct log_plan *plan, size_t i, const struct insn_operands *operands,
			const struct insn_operand *operand, uint64_t constant)
{
	bool is_cut = operands->has_address_size && !is_on_stack(operand), has_fs = operand->segment == SEGMENT_FS;
	uint8_t base = general(operand->base), index = general(operand->index);
	struct log_word *word = &plan->words[plan->n_words++];

	*word = (struct log_word){.insn = (uint8_t)i, .constant = constant, .has_slot = true};
	if (index != LOG_NONE)
		word->slot = add_slot(plan, (struct log_slot){.insn = (uint8_t)i,
							      .base = base,
							      .index = index,
							      .scale = operand->scale});
	else if (base != LOG_NONE)
		word->slot = find_slot(plan, i, base, &word->constant);
	else
		word->has_slot = false;
	word->kind = is_cut	      ? (has_fs ? WORD_CUT_FS : WORD_CUT)
		     : has_fs	      ? WORD_FS
		     : word->has_slot ? WORD_SLOT
				      : WORD_CONSTANT;
}

/* RDI or RSI runs along what is repeated. */
static void add_repetitions(struct log_plan *plan, size_t i, const struct insn_operands *operands)
{
	struct log_word word = {.insn = (uint8_t)i, .kind = WORD_REPETITIONS, .has_slot = true};
	const struct insn_operand *runs = NULL;
	uint64_t none = 0;

	for (size_t j = 0; j < operands->n_operands; j++)
		if (insn_operand_is_access(&operands->operands[j]))
			runs = &operands->operands[j];
	word.constant = runs->bits / 8;
	word.before = find_slot(plan, i, general(runs->base), &none);
	word.slot = add_slot(plan, (struct log_slot){.insn = (uint8_t)i,
						     .is_after = true,
						     .base = general(runs->base),
						     .index = LOG_NONE});
	plan->words[plan->n_words++] = word;
}

/* By how much RSP changes; false: one cannot tell. Intel SDM vol. 2: PUSH and POP of a register, ADD and SUB. */
static bool stack_change(const struct insn *insn, int64_t *change)
{
	const uint8_t *bytes = insn->bytes;
	uint8_t opcode = (bytes[0] & 0xf0) == 0x40 ? bytes[1] : bytes[0];
	bool is_short = bytes[1] == 0x83, is_rsp = bytes[0] == 0x48 && (is_short || bytes[1] == 0x81);
	int32_t immediate;

	if (insn->length <= 2 && opcode >= 0x50 && opcode <= 0x5f && bytes[insn->length - 1] == opcode) {
		*change = opcode < 0x58 ? -8 : 8;
		return insn->length == 2 || opcode != 0x5c; /* POP RSP */
	}
	if (!is_rsp || (bytes[2] != 0xec && bytes[2] != 0xc4))
		return false;
	memcpy(&immediate, bytes + 3, sizeof(immediate));
	*change = is_short ? (int8_t)bytes[3] : immediate;
	if (bytes[2] == 0xec)
		*change = -*change;
	return true;
}

static void forget_written(struct log_plan *plan, const struct insn_operands *operands, const struct insn *insn)
{
	int64_t change;

	if (stack_change(insn, &change))
		plan->more[GENERAL_RSP] += (uint64_t)change;
	else if (operands->moves_stack || (operands->written.general >> GENERAL_RSP & 1))
		plan->known[GENERAL_RSP] = LOG_NONE;
	for (uint8_t reg = 0; reg < INSN_N_GENERAL; reg++)
		if (reg != GENERAL_RSP && (operands->written.general >> reg & 1))
			plan->known[reg] = LOG_NONE;
}

/* R11 takes the place of R15 in sums, and can be that of one only. */
static bool can_be_logged(const struct insn_operands *operands, const struct insn *insn)
{
	/* F3 0F AE /2: WRFSBASE changes what is taken to be the same from one draining of the log to the next. */
	bool is_wrfsbase = insn->bytes[0] == 0xf3 && memchr(insn->bytes, 0xae, insn->length);

	return !is_wrfsbase && (~operands->address & (1u << R11 | 1u << R15));
}

bool log_plan_add(struct log_plan *plan, size_t i, uint64_t va, const struct insn *insn)
{
	struct insn_registers nothing = {.next_va = va + insn->length};
	struct insn_operands operands;

	if (!insn_operands_decode(insn->bytes, insn->length, &operands) || !can_be_logged(&operands, insn) ||
	    plan->n_slots + LOG_INSN_WORDS > LOG_SLOTS_MAX)
		return false;
	for (size_t j = 0; j < operands.n_operands; j++)
		if (insn_operand_is_access(&operands.operands[j]))
			add_operand(plan, i, &operands, &operands.operands[j],
				    insn_operand_va(&operands, &operands.operands[j], &nothing));
	if (operands.is_repeated)
		add_repetitions(plan, i, &operands);
	forget_written(plan, &operands, insn);
	return true;
}
