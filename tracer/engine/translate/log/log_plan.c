#include "engine/translate/log/log_plan.h"

#include <string.h>

#include "decode/insn_value.h"

static uint8_t general(struct insn_register reg)
{
	return reg.file == REGISTER_GENERAL ? reg.number : LOG_NONE;
}

static bool is_on_stack(const struct insn_operand *operand)
{
	return operand->is_hidden && general(operand->base) == GENERAL_RSP;
}

void log_plan_begin(struct log_plan *plan)
{
	plan->n_words = plan->n_addresses = 0;
	plan->n_values = 0;
	for (size_t i = 0; i < INSN_N_GENERAL; i++)
		plan->values[i] = (struct log_value){.number = ++plan->n_values};
}

_Static_assert(LOG_NONE == INSN_VALUE_CONSTANT, "no register, in words as in values");

static struct log_value value_of(const struct log_plan *plan, uint8_t reg)
{
	return reg == LOG_NONE ? (struct log_value){0} : plan->values[reg];
}

static struct log_sum sum_of(const struct log_plan *plan, const struct log_word *word, uint64_t constant)
{
	struct log_value base = value_of(plan, word->base), index = value_of(plan, word->index);

	return (struct log_sum){
		.base = base.number,
		.index = index.number,
		.scale = index.number ? word->scale : 0,
		.has_fs = word->has_fs,
		.constant = constant + base.more + index.more * word->scale,
	};
}

static bool have_same_values(const struct log_sum *one, const struct log_sum *other)
{
	return one->base == other->base && one->index == other->index && one->scale == other->scale &&
	       one->has_fs == other->has_fs && !one->is_single && !other->is_single;
}

static void add_address(struct log_plan *plan, uint8_t word, uint64_t more)
{
	plan->addresses[plan->n_addresses++] = (struct log_address){.word = word, .more = more};
}

static void add_word(struct log_plan *plan, struct log_word word, struct log_sum sum, uint64_t more)
{
	add_address(plan, (uint8_t)plan->n_words, more);
	plan->sums[plan->n_words] = sum;
	plan->words[plan->n_words++] = word;
}

/* Whether the address is known without another word. */
static bool follows(struct log_plan *plan, const struct log_sum *sum)
{
	if (sum->is_single)
		return false;
	if (!sum->base && !sum->index && !sum->has_fs) {
		add_address(plan, LOG_NONE, sum->constant);
		return true;
	}
	for (size_t k = 0; k < plan->n_words; k++)
		if (have_same_values(&plan->sums[k], sum)) {
			add_address(plan, (uint8_t)k, sum->constant - plan->sums[k].constant);
			return true;
		}
	return false;
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
	struct log_sum sum;

	if (word.base == LOG_NONE && word.index == LOG_NONE)
		word.is_cut = false;
	else if (word.is_cut)
		word.constant = (uint64_t)(int32_t)constant;
	sum = sum_of(plan, &word, word.constant);
	sum.is_single = word.is_cut || operands->is_repeated;
	if (follows(plan, &sum))
		return true;
	/* A register as it is costs least. */
	if (word.base != LOG_NONE && word.index == LOG_NONE && !word.has_fs && !sum.is_single) {
		word.constant = 0;
		sum.constant -= constant;
		add_word(plan, word, sum, constant);
		return true;
	}
	if (word.constant != (uint64_t)(int32_t)word.constant &&
	    (word.base != LOG_NONE || word.index != LOG_NONE || word.has_fs))
		return false;
	add_word(plan, word, sum, 0);
	return true;
}

/* RDI or RSI runs along what is repeated. */
static void add_length(struct log_plan *plan, size_t i)
{
	struct log_word word = plan->words[plan->n_words - 1];

	word.insn = (uint8_t)i;
	word.is_length = true;
	add_word(plan, word, (struct log_sum){.is_single = true}, 0);
}

/* What registers are behind the instruction. */
static void follow_values(struct log_plan *plan, const struct insn *insn, const struct insn_operands *operands,
			  uint64_t next_va)
{
	struct insn_value known;
	bool is_known = insn_value(insn->bytes, insn->length, operands, next_va, &known);
	struct log_value value = {0};

	if (is_known) {
		value = value_of(plan, known.from);
		value.more += known.more;
	}
	for (size_t reg = 0; reg < INSN_N_GENERAL; reg++)
		if (operands->written.general >> reg & 1)
			plan->values[reg] = is_known && known.reg == reg
						    ? value
						    : (struct log_value){.number = ++plan->n_values};
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
	size_t n_words = plan->n_words, n_addresses = plan->n_addresses;
	bool is_known = insn_operands_decode(insn->bytes, insn->length, &operands), can_be_added = true;

	plan->uses_stolen[i] = !is_known || ((operands.read.general | operands.written.general | operands.address) &
					     1u << plan->stolen);
	if (!wants_words)
		return true;
	if (!is_known || !can_be_logged(&operands, insn) || plan->n_addresses + LOG_INSN_WORDS > LOG_ADDRESSES_MAX)
		return false;
	for (size_t j = 0; j < operands.n_operands && can_be_added; j++)
		if (insn_operand_is_access(&operands.operands[j]))
			can_be_added = add_operand(plan, i, &operands, &operands.operands[j],
						   insn_operand_va(&operands, &operands.operands[j], &nothing));
	if (can_be_added && operands.is_repeated)
		add_length(plan, i);
	if (!can_be_added || plan->n_words > LOG_WORDS_MAX) {
		plan->n_words = n_words;
		plan->n_addresses = n_addresses;
		return false;
	}
	follow_values(plan, insn, &operands, nothing.next_va);
	return true;
}
