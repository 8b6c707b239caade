#include "engine/translate/log/log_plan.h"

#include <string.h>

#include "decode/insn_value.h"

static uint8_t general(struct insn_register reg)
{
	return reg.file == REGISTER_GENERAL ? reg.number : LOG_NO_REG;
}

static uint16_t base_of(enum insn_segment segment)
{
	return segment == SEGMENT_FS ? AREA_FS : segment == SEGMENT_GS ? AREA_GS : 0;
}

static bool is_on_stack(const struct insn_operand *operand)
{
	return operand->is_hidden && general(operand->base) == GENERAL_RSP;
}

void log_plan_begin(struct log_plan *plan)
{
	plan->n_logged = plan->n_addresses = 0;
	plan->n_values = 0;
	for (size_t i = 0; i < INSN_N_GENERAL; i++)
		plan->values[i] = (struct log_value){.number = ++plan->n_values};
}

_Static_assert(LOG_NO_REG == INSN_VALUE_CONSTANT, "no register, in addresses as in values");

static struct log_value value_of(const struct log_plan *plan, uint8_t reg)
{
	return reg == LOG_NO_REG ? (struct log_value){0} : plan->values[reg];
}

static struct log_sum sum_of(const struct log_plan *plan, const struct logged_address *address, uint64_t constant)
{
	struct log_value base = value_of(plan, address->base), index = value_of(plan, address->index);

	return (struct log_sum){
		.base = base.number,
		.index = index.number,
		.scale = index.number ? address->scale : 0,
		.segment_base = address->segment_base,
		.constant = constant + base.offset + index.offset * address->scale,
	};
}

static bool have_same_values(const struct log_sum *one, const struct log_sum *other)
{
	return one->base == other->base && one->index == other->index && one->scale == other->scale &&
	       one->segment_base == other->segment_base && !one->is_single && !other->is_single;
}

static void add_address(struct log_plan *plan, uint8_t logged, uint64_t offset)
{
	plan->addresses[plan->n_addresses++] = (struct log_address){.logged = logged, .offset = offset};
}

static void add_logged(struct log_plan *plan, struct logged_address address, struct log_sum sum, uint64_t offset)
{
	add_address(plan, (uint8_t)plan->n_logged, offset);
	plan->sums[plan->n_logged] = sum;
	plan->logged[plan->n_logged++] = address;
}

/* Adds the address if it follows from earlier ones, without logging. Returns false otherwise. */
static bool add_derived(struct log_plan *plan, const struct log_sum *sum)
{
	if (sum->is_single)
		return false;
	if (!sum->base && !sum->index && !sum->segment_base) {
		add_address(plan, LOG_NO_REG, sum->constant);
		return true;
	}
	for (size_t k = 0; k < plan->n_logged; k++)
		if (have_same_values(&plan->sums[k], sum)) {
			add_address(plan, (uint8_t)k, sum->constant - plan->sums[k].constant);
			return true;
		}
	return false;
}

static bool add_operand(struct log_plan *plan, size_t i, const struct insn_operands *operands,
			const struct insn_operand *operand, uint64_t constant)
{
	struct logged_address address = {
		.insn = (uint8_t)i,
		.base = general(operand->base),
		.index = general(operand->index),
		.scale = operand->scale,
		.is_32_bit = operands->has_address_size_prefix && !is_on_stack(operand),
		.segment_base = base_of(operand->segment),
		.constant = constant,
	};
	struct log_sum sum;

	if (address.base == LOG_NO_REG && address.index == LOG_NO_REG)
		address.is_32_bit = false;
	else if (address.is_32_bit)
		address.constant = (uint64_t)(int32_t)constant;
	sum = sum_of(plan, &address, address.constant);
	sum.is_single = address.is_32_bit || operands->is_repeated;
	if (add_derived(plan, &sum))
		return true;
	/* A plain register value is the cheapest to log. */
	if (address.base != LOG_NO_REG && address.index == LOG_NO_REG && !address.segment_base && !sum.is_single) {
		address.constant = 0;
		sum.constant -= constant;
		add_logged(plan, address, sum, constant);
		return true;
	}
	if (address.constant != (uint64_t)(int32_t)address.constant &&
	    (address.base != LOG_NO_REG || address.index != LOG_NO_REG || address.segment_base))
		return false;
	add_logged(plan, address, sum, 0);
	return true;
}

static void add_length(struct log_plan *plan, size_t i)
{
	struct logged_address address = plan->logged[plan->n_logged - 1];

	address.insn = (uint8_t)i;
	address.is_length = true;
	add_logged(plan, address, (struct log_sum){.is_single = true}, 0);
}

/* Tracks the values of the registers that the instruction writes. */
static void follow_values(struct log_plan *plan, const struct insn *insn, const struct insn_operands *operands,
			  uint64_t next_va)
{
	struct insn_value known;
	bool is_known = insn_find_value(insn->bytes, insn->length, operands, next_va, &known);
	struct log_value value = {0};

	if (is_known) {
		value = value_of(plan, known.from);
		value.offset += known.addend;
	}
	for (size_t reg = 0; reg < INSN_N_GENERAL; reg++)
		if (operands->written.general >> reg & 1)
			plan->values[reg] = is_known && known.reg == reg
						    ? value
						    : (struct log_value){.number = ++plan->n_values};
}

static bool can_be_logged(const struct insn_operands *operands, const struct insn *insn)
{
	/* F3 0F AE /2: WRFSBASE changes the base of FS, which AREA_FS takes to be constant inside translated code. */
	bool is_wrfsbase = insn->bytes[0] == 0xf3 && memchr(insn->bytes, 0xae, insn->length);

	if (is_wrfsbase)
		return false;
	for (size_t i = 0; operands->is_repeated && i < operands->n_operands; i++)
		if (operands->has_address_size_prefix || operands->operands[i].segment != SEGMENT_FLAT)
			return false;
	return true;
}

bool log_plan_add(struct log_plan *plan, size_t i, uint64_t va, const struct insn *insn, bool wants_addresses)
{
	struct insn_registers nothing = {.next_va = va + insn->length};
	struct insn_operands operands;
	size_t n_logged = plan->n_logged, n_addresses = plan->n_addresses;
	bool is_known = insn_operands_decode(insn->bytes, insn->length, &operands), can_be_added = true;

	plan->uses_stolen[i] = !is_known || ((operands.read.general | operands.written.general | operands.address) &
					     1u << plan->stolen);
	if (!wants_addresses)
		return true;
	if (!is_known || !can_be_logged(&operands, insn) ||
	    plan->n_addresses + LOG_INSN_ADDRESSES_MAX > LOG_ADDRESSES_MAX)
		return false;
	for (size_t j = 0; j < operands.n_operands && can_be_added; j++)
		if (insn_operand_is_access(&operands.operands[j]))
			can_be_added = add_operand(plan, i, &operands, &operands.operands[j],
						   insn_operand_va(&operands, &operands.operands[j], &nothing));
	if (can_be_added && operands.is_repeated)
		add_length(plan, i);
	if (!can_be_added || plan->n_logged > LOG_LOGGED_MAX) {
		plan->n_logged = n_logged;
		plan->n_addresses = n_addresses;
		return false;
	}
	follow_values(plan, insn, &operands, nothing.next_va);
	return true;
}
