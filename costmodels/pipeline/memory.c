/* Which store a load takes its value from, by executing a few iterations on symbols: an address is a value that is not
 * known, times nothing, plus a known distance. Two addresses of different unknown values are taken to differ. */
#include <string.h>

#include "base/array.h"
#include "costmodels/pipeline/block.h"

#define N_ITERATIONS 4 /* a store reaches at most three iterations ahead */
#define MAX_STORES 256

struct symbol {
	uint64_t id; /* 0: none, the offset is the value */
	int64_t offset;
};

struct store {
	struct symbol address, data;
	uint32_t bytes, insn, iteration;
};

struct state {
	struct symbol registers[INSN_N_GENERAL];
	struct store stores[MAX_STORES]; /* a ring: the n_stores latest */
	uint32_t n_stores;
};

static uint64_t mix(uint64_t a, uint64_t b)
{
	/* Knuth's factor, as in text_index.c */
	uint64_t hash = (a ^ (b + 0x7f4a7c15)) * 0x9e3779b97f4a7c15;

	hash ^= hash >> 29;
	hash *= 0x9e3779b97f4a7c15;
	hash ^= hash >> 32;
	return hash ? hash : 1;
}

static struct symbol value_of(const struct state *state, const struct insn_register *reg)
{
	if (reg->file == REGISTER_GENERAL)
		return state->registers[reg->number];
	if (reg->file == REGISTER_NONE)
		return (struct symbol){0, 0};
	return (struct symbol){mix(reg->file, reg->number), 0};
}

static struct symbol address_of(const struct state *state, const struct insn_operand *operand)
{
	struct symbol base = value_of(state, &operand->base), index = value_of(state, &operand->index);
	struct symbol out = {base.id, (int64_t)((uint64_t)base.offset + (uint64_t)operand->displacement)};

	if (operand->index.file != REGISTER_NONE) {
		if (index.id)
			out.id = mix(mix(base.id, operand->scale), index.id);
		out.offset = (int64_t)((uint64_t)out.offset + (uint64_t)index.offset * operand->scale);
	}
	return out;
}

static void add_store(struct state *state, struct symbol address, struct symbol data, uint32_t bytes, uint32_t insn,
		      uint32_t iteration)
{
	state->stores[state->n_stores++ % MAX_STORES] = (struct store){address, data, bytes, insn, iteration};
}

/* The latest store that the access overlaps, or NULL. */
static const struct store *find_store(const struct state *state, struct symbol address, uint32_t bytes)
{
	uint32_t n = state->n_stores < MAX_STORES ? state->n_stores : MAX_STORES;

	for (uint32_t i = 1; i <= n; i++) {
		const struct store *store = &state->stores[(state->n_stores - i) % MAX_STORES];

		if (store->address.id == address.id && store->address.offset < address.offset + (int64_t)bytes &&
		    address.offset < store->address.offset + (int64_t)store->bytes)
			return store;
	}
	return NULL;
}

static struct symbol load(struct state *state, struct block_insn *insn, struct symbol address, uint32_t bytes,
			  uint32_t iteration)
{
	const struct store *store = find_store(state, address, bytes);

	insn->forwarded_from = NO_INSN;
	insn->forwarding_fails = false;
	if (!store)
		return (struct symbol){mix(mix(address.id, (uint64_t)address.offset), bytes), 0};
	insn->forwarded_from = store->insn;
	insn->forwarded_distance = iteration - store->iteration;
	insn->forwarding_fails = store->address.offset > address.offset ||
				 store->address.offset + (int64_t)store->bytes < address.offset + (int64_t)bytes;
	if (store->bytes == 8 && bytes == 8 && store->address.offset == address.offset)
		return store->data;
	return (struct symbol){mix(mix(store->data.id, (uint64_t)store->data.offset), bytes), 0};
}

static int64_t immediate_of(const struct block *block, const struct block_insn *insn)
{
	const uint8_t *end = block->bytes + insn->offset + insn->length;
	int64_t value = 0;

	switch (insn->operands.immediate_bytes) {
	case 1:
		return (int8_t)end[-1];
	case 4:
		for (int i = 1; i <= 4; i++)
			value = value << 8 | end[-i];
		return (int32_t)value;
	default:
		return 0;
	}
}

/* The value that the instruction leaves in its destination. */
static struct symbol result_of(const struct state *state, const struct block *block, const struct block_insn *insn,
			       struct symbol loaded)
{
	const struct insn_operands *operands = &insn->operands;
	const struct insn_operand *first = &operands->operands[0], *second = &operands->operands[1];
	bool has_immediate = operands->n_operands > 1 && second->kind == OPERAND_IMMEDIATE;
	bool is_wide = operands->n_operands && first->bits == 64;
	struct symbol old = first->kind == OPERAND_REGISTER ? value_of(state, &first->reg) : loaded;
	struct symbol out = {mix(insn->offset + 1, insn->length), 0};

	if (insn->facts->flags & FORM_ZERO)
		return (struct symbol){0, 0};
	switch (is_wide ? insn->facts->symbolic : SYMBOLIC_OTHER) {
	case SYMBOLIC_COPY:
		if (operands->reads_memory)
			return loaded;
		if (second->kind == OPERAND_REGISTER && second->reg.file == REGISTER_GENERAL)
			return value_of(state, &second->reg);
		break;
	case SYMBOLIC_IMMEDIATE:
		if (operands->immediate_bytes <= 4)
			return (struct symbol){0, immediate_of(block, insn)};
		break;
	case SYMBOLIC_ADD:
	case SYMBOLIC_SUB:
		if (has_immediate) {
			int64_t by = immediate_of(block, insn);

			old.offset += insn->facts->symbolic == SYMBOLIC_ADD ? by : -by;
			return old;
		}
		break;
	case SYMBOLIC_INC:
		old.offset++;
		return old;
	case SYMBOLIC_DEC:
		old.offset--;
		return old;
	case SYMBOLIC_LEA:
		return address_of(state, second);
	default:
		break;
	}
	for (int i = 0; i < INSN_N_GENERAL; i++)
		if (operands->read.general & 1u << i)
			out.id = mix(mix(out.id, state->registers[i].id), (uint64_t)state->registers[i].offset);
	/* What comes from vector registers and flags differs each time. */
	if (operands->reads_memory)
		out.id = mix(mix(out.id, loaded.id), (uint64_t)loaded.offset);
	if (operands->read.vector || operands->read.flags)
		out.id = mix(out.id, state->n_stores + 1);
	return out;
}

static void write_registers(struct state *state, const struct insn_operands *operands, struct symbol result)
{
	bool is_first = true;

	for (size_t i = 0; i < operands->n_operands; i++) {
		const struct insn_operand *operand = &operands->operands[i];

		if (operand->kind != OPERAND_REGISTER || !operand->is_written || operand->reg.file != REGISTER_GENERAL)
			continue;
		if (operands->moves_stack && operand->is_hidden && operand->reg.number == GENERAL_RSP)
			continue;
		/* A part, or a second result, is another value. */
		state->registers[operand->reg.number] =
			is_first && operand->bits >= 32
				? result
				: (struct symbol){mix(mix(result.id, (uint64_t)result.offset), i + operand->bits), 0};
		is_first = false;
	}
}

static void execute(struct state *state, const struct block *block, struct block_insn *insn, uint32_t number,
		    uint32_t iteration)
{
	const struct insn_operands *operands = &insn->operands;
	struct symbol loaded = {0, 0}, result, data, addresses[INSN_MAX_OPERANDS];
	struct symbol *rsp = &state->registers[GENERAL_RSP];

	if (insn->facts->flags & FORM_NOP)
		return;
	for (size_t i = 0; i < operands->n_operands; i++) {
		const struct insn_operand *operand = &operands->operands[i];

		if (operand->kind != OPERAND_MEMORY)
			continue;
		addresses[i] = address_of(state, operand);
		if (operand->is_hidden && operands->moves_stack && operand->is_written)
			addresses[i].offset -= operand->bits / 8;
		if (operand->is_read)
			loaded = load(state, insn, addresses[i], operand->bits / 8, iteration);
	}
	result = result_of(state, block, insn, loaded);
	data = result;
	if (insn->facts->symbolic == SYMBOLIC_COPY && !operands->reads_memory)
		for (size_t i = 0; i < operands->n_operands; i++)
			if (operands->operands[i].kind == OPERAND_REGISTER && operands->operands[i].is_read &&
			    !operands->operands[i].is_hidden) {
				data = value_of(state, &operands->operands[i].reg);
				break;
			}
	for (size_t i = 0; i < operands->n_operands; i++) {
		const struct insn_operand *operand = &operands->operands[i];

		if (operand->kind != OPERAND_MEMORY)
			continue;
		if (operand->is_written)
			add_store(state, addresses[i], data, operand->bits / 8, number, iteration);
		if (operands->moves_stack && operand->is_hidden)
			rsp->offset += (operand->is_written ? -1 : 1) * (int64_t)(operand->bits / 8);
	}
	write_registers(state, operands, result);
}

static bool has_store_and_load(const struct block *block)
{
	bool has_store = false, has_load = false;

	for (size_t i = 0; i < block->n_insns; i++) {
		has_store |= block->insns[i].operands.writes_memory;
		has_load |= block->insns[i].operands.reads_memory;
	}
	return has_store && has_load;
}

void block_follow_memory(struct block *block)
{
	struct state state;

	if (!has_store_and_load(block))
		return;
	state.n_stores = 0;
	for (uint32_t i = 0; i < INSN_N_GENERAL; i++)
		state.registers[i] = (struct symbol){mix(1, i), 0};
	for (uint32_t iteration = 0; iteration < N_ITERATIONS; iteration++)
		for (size_t i = 0; i < block->n_insns; i++)
			execute(&state, block, &block->insns[i], (uint32_t)i, iteration);
}
