/* Finds the store that forwards to each load by symbolic execution of a few iterations. An address is an unknown
 * value plus a known offset. Addresses with different unknown values are assumed not to overlap. */
#include <string.h>

#include "base/array.h"
#include "costmodels/estimators/pipeline/block/block.h"

#define N_ITERATIONS 8
#define N_STEADY 3 /* number of last iterations in which a load must depend on the same store at the same distance */
#define MAX_STORES 256

struct symbol {
	uint64_t id; /* identifies an unknown value; 0: none, the symbol is the constant `offset` */
	int64_t offset;
};

/* The parts of an address that the CPU compares to rename a load. */
struct address_shape {
	uint8_t base, index, scale; /* index: number of the register + 1; 0: none */
	uint32_t version; /* sum of the versions of base and index; each write to a register increases its version */
	int64_t displacement;
	bool is_general; /* base and index are general registers */
};

struct store {
	struct symbol address, data;
	struct address_shape shape;
	uint32_t bytes, insn, iteration;
};

struct state {
	struct symbol unwritten; /* content of memory before the first store; id UNKNOWN: it depends on the address */
	uint32_t versions[INSN_N_GENERAL];
	struct symbol registers[INSN_N_GENERAL];
	struct store stores[MAX_STORES]; /* ring of the latest stores, of n_stores in all */
	uint32_t n_stores;
};

#define UNKNOWN UINT64_MAX

/* Registers and memory hold this address in BHive (IISWC 2019) and in tests/accuracy. */
#define SAME_POINTER 0x2324000
#define PAGE_BITS 12
#define SAME_PAGE_BYTES ((int64_t)1 << PAGE_BITS) /* with POINTERS_SAME, all virtual pages map to one physical page */

static uint64_t mix(uint64_t a, uint64_t b)
{
	/* Knuth's factor, as in text_index.c. The shifts mix the high bits of the product into the low ones. */
	uint64_t hash = (a ^ (b + 0x7f4a7c15)) * 0x9e3779b97f4a7c15;

	hash ^= hash >> 29;
	hash *= 0x9e3779b97f4a7c15;
	hash ^= hash >> 32;
	return hash ? hash : 1;
}

/* Returns an unknown value that depends only on `from` and `salt`. */
static struct symbol derive(struct symbol from, uint64_t salt)
{
	return (struct symbol){mix(mix(from.id, (uint64_t)from.offset), salt), 0};
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

	if (operand->base.file == REGISTER_NONE && operand->index.file == REGISTER_NONE)
		out.id = mix(1, INSN_N_GENERAL); /* usually relative to the segment FS or GS */
	if (operand->index.file != REGISTER_NONE) {
		if (index.id)
			out.id = mix(mix(base.id, operand->scale), index.id);
		out.offset = (int64_t)((uint64_t)out.offset + (uint64_t)index.offset * operand->scale);
	}
	return out;
}

static struct address_shape shape_of(const struct state *state, const struct insn_operands *operands,
				     const struct insn_operand *operand)
{
	struct address_shape out = {.displacement = operand->displacement};
	bool is_stack = operands->moves_stack && operand->is_hidden;

	if (operand->base.file != REGISTER_GENERAL || operand->bits < 8)
		return out;
	out.is_general = operand->index.file == REGISTER_NONE || operand->index.file == REGISTER_GENERAL;
	out.base = operand->base.number;
	out.version = state->versions[out.base];
	if (operand->index.file == REGISTER_GENERAL) {
		out.index = (uint8_t)(operand->index.number + 1);
		out.scale = operand->scale;
		out.version += state->versions[operand->index.number];
	}
	/* The stack engine tracks the movement of RSP. */
	if (out.base == GENERAL_RSP)
		out.displacement += state->registers[GENERAL_RSP].offset;
	if (is_stack && operand->is_written)
		out.displacement -= operand->bits / 8;
	return out;
}

static bool are_same_shape(const struct address_shape *a, const struct address_shape *b)
{
	return a->is_general && b->is_general && a->base == b->base && a->index == b->index && a->scale == b->scale &&
	       a->version == b->version && a->displacement == b->displacement;
}

/* Returns the distance in bytes between two addresses with the same unknown value. With POINTERS_SAME, all constant
 * addresses are in one physical page. */
static int64_t distance_between(const struct state *state, struct symbol from, struct symbol to)
{
	int64_t distance = (int64_t)((uint64_t)to.offset - (uint64_t)from.offset);

	if (from.id || state->unwritten.id == UNKNOWN)
		return distance;
	distance &= SAME_PAGE_BYTES - 1;
	return distance < SAME_PAGE_BYTES / 2 ? distance : distance - SAME_PAGE_BYTES;
}

/* Returns the latest store that overlaps the access, or NULL. */
static const struct store *find_store(const struct state *state, struct symbol address, uint32_t bytes)
{
	uint32_t n = state->n_stores < MAX_STORES ? state->n_stores : MAX_STORES;

	for (uint32_t i = 1; i <= n; i++) {
		const struct store *store = &state->stores[(state->n_stores - i) % MAX_STORES];
		int64_t distance = distance_between(state, store->address, address);

		if (store->address.id == address.id && distance > -(int64_t)bytes && distance < (int64_t)store->bytes)
			return store;
	}
	return NULL;
}

/* Returns the low bytes of a constant, or a new unknown value that depends on the given one. */
static struct symbol narrow(struct symbol value, uint32_t bytes)
{
	if (bytes >= 8)
		return value;
	if (value.id)
		return derive(value, bytes);
	value.offset &= (int64_t)(((uint64_t)1 << 8 * bytes) - 1);
	return value;
}

/* Sign-extends a constant. Returns an unknown value unchanged. */
static struct symbol sign_extend(struct symbol value, unsigned bits)
{
	if (!value.id && bits < 64)
		value.offset = (int64_t)((uint64_t)value.offset << (64 - bits)) >> (64 - bits);
	return value;
}

static struct symbol load(struct state *state, struct block_insn *insn, struct symbol address,
			  struct address_shape shape, uint32_t bytes, uint32_t iteration)
{
	const struct store *store = find_store(state, address, bytes);
	uint32_t from = store ? store->insn : NO_INSN, distance = store ? iteration - store->iteration : 0;
	int64_t bytes_apart = store ? distance_between(state, store->address, address) : 0;
	bool changes_page = iteration && insn->last_address_id == address.id &&
			    insn->last_address >> PAGE_BITS != address.offset >> PAGE_BITS;

	if (from != insn->forwarded_from || distance != insn->forwarded_distance || bytes_apart != insn->bytes_apart)
		insn->n_steady = 0;
	insn->n_steady++;
	insn->n_page_changes = changes_page ? insn->n_page_changes + 1 : 0;
	insn->last_address_id = address.id;
	insn->last_address = address.offset;
	insn->bytes_apart = bytes_apart;
	insn->forwarded_from = from;
	insn->forwarded_distance = distance;
	insn->forwarding_fails = insn->is_renamed = insn->is_page_alias = false;
	if (!store && state->unwritten.id != UNKNOWN)
		return address.offset & 7 && !address.id ? (struct symbol){mix((uint64_t)address.offset, bytes), 0}
							 : narrow(state->unwritten, bytes);
	if (!store)
		return derive(address, bytes);
	insn->forwarding_fails = bytes_apart < 0 || bytes_apart + (int64_t)bytes > (int64_t)store->bytes;
	insn->is_page_alias = (uint64_t)address.offset - (uint64_t)store->address.offset != (uint64_t)bytes_apart;
	insn->is_renamed = are_same_shape(&shape, &store->shape) && store->bytes >= bytes;
	if (bytes_apart == 0 && store->bytes >= bytes)
		return narrow(store->data, bytes);
	return derive(store->data, bytes);
}

static int64_t immediate_of(const struct block *block, const struct block_insn *insn)
{
	const uint8_t *end = block->bytes + insn->offset + insn->length;
	int32_t value;

	if (insn->operands.immediate_bytes == 1)
		return (int8_t)end[-1];
	if (insn->operands.immediate_bytes != sizeof(value))
		return 0;
	memcpy(&value, end - sizeof(value), sizeof(value));
	return value;
}

/* Returns an unknown value that depends on all sources of the instruction. */
static struct symbol opaque_result(const struct state *state, const struct block_insn *insn, struct symbol loaded)
{
	const struct insn_operands *operands = &insn->operands;
	struct symbol out = {mix(insn->offset + 1, insn->length), 0};

	for (int i = 0; i < INSN_N_GENERAL; i++)
		if (operands->read.general & 1u << i)
			out.id = mix(mix(out.id, state->registers[i].id), (uint64_t)state->registers[i].offset);
	if (operands->reads_memory)
		out.id = mix(mix(out.id, loaded.id), (uint64_t)loaded.offset);
	/* Vector registers and flags are not tracked: assume a new value each time. */
	if (operands->read.vector || operands->read.flags)
		out.id = mix(out.id, state->n_stores + 1);
	return out;
}

static bool is_general_register(const struct insn_operand *operand)
{
	return operand->kind == OPERAND_REGISTER && operand->reg.file == REGISTER_GENERAL;
}

/* Computes a move with or without extension. Returns false if the result is unknown. */
static bool evaluate_move(const struct state *state, const struct block_insn *insn, struct symbol loaded,
			  struct symbol *out)
{
	const struct insn_operand *second = &insn->operands.operands[1];
	bool is_signed = insn->form->symbolic == SYMBOLIC_SIGN_EXTEND;

	if (insn->operands.reads_memory) {
		*out = is_signed ? sign_extend(loaded, second->bits) : loaded;
		return true;
	}
	if (!is_general_register(second) || (is_signed && second->reg.first_bit))
		return false;
	if (second->reg.first_bit) {
		*out = (struct symbol){mix(insn->offset + 1, insn->length), 0};
		return true;
	}
	*out = narrow(value_of(state, &second->reg), second->bits / 8);
	if (is_signed)
		*out = sign_extend(*out, second->bits);
	return true;
}

/* Computes old + second or old - second. Returns false if the result is unknown. */
static bool evaluate_add(const struct state *state, const struct block *block, const struct block_insn *insn,
			 struct symbol old, struct symbol *out)
{
	const struct insn_operands *operands = &insn->operands;
	const struct insn_operand *second = &operands->operands[1];
	struct symbol addend = {0, 0};

	if (operands->n_operands > 1 && second->kind == OPERAND_IMMEDIATE)
		addend.offset = immediate_of(block, insn);
	else if (!old.id && is_general_register(second))
		addend = value_of(state, &second->reg);
	else
		return false;
	if (addend.id)
		return false;
	*out = old;
	if (insn->form->symbolic == SYMBOLIC_ADD)
		out->offset = (int64_t)((uint64_t)old.offset + (uint64_t)addend.offset);
	else
		out->offset = (int64_t)((uint64_t)old.offset - (uint64_t)addend.offset);
	return true;
}

/* Returns the value that the instruction leaves in its destination. */
static struct symbol evaluate(const struct state *state, const struct block *block, const struct block_insn *insn,
			      struct symbol loaded)
{
	const struct insn_operands *operands = &insn->operands;
	const struct insn_operand *first = &operands->operands[0];
	bool is_tracked = operands->n_operands && (first->bits == 64 || first->bits == 32);
	struct symbol old = first->kind == OPERAND_REGISTER ? value_of(state, &first->reg) : loaded;
	struct symbol out;

	if (insn->form->flags & FORM_ZERO)
		return (struct symbol){0, 0};
	/* write_registers() narrows results of 32 bits. */
	switch (is_tracked ? insn->form->symbolic : SYMBOLIC_OTHER) {
	case SYMBOLIC_COPY:
	case SYMBOLIC_EXTEND:
	case SYMBOLIC_SIGN_EXTEND:
		if (evaluate_move(state, insn, loaded, &out))
			return out;
		break;
	case SYMBOLIC_IMMEDIATE:
		if (operands->immediate_bytes <= 4)
			return (struct symbol){0, immediate_of(block, insn)};
		break;
	case SYMBOLIC_ADD:
	case SYMBOLIC_SUB:
		if (evaluate_add(state, block, insn, old, &out))
			return out;
		break;
	case SYMBOLIC_INC:
		old.offset++;
		return old;
	case SYMBOLIC_DEC:
		old.offset--;
		return old;
	case SYMBOLIC_LEA:
		return address_of(state, &operands->operands[1]);
	default:
		break;
	}
	return opaque_result(state, insn, loaded);
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
		/* A partial write or a second result leaves an unknown value. */
		state->versions[operand->reg.number]++;
		state->registers[operand->reg.number] = is_first && operand->bits >= 32
								? narrow(result, operand->bits / 8)
								: derive(result, i + operand->bits);
		is_first = false;
	}
}

static void execute(struct state *state, const struct block *block, struct block_insn *insn, uint32_t number,
		    uint32_t iteration)
{
	const struct insn_operands *operands = &insn->operands;
	struct symbol loaded = {0, 0}, result, data, addresses[INSN_MAX_OPERANDS];
	struct address_shape shapes[INSN_MAX_OPERANDS];
	struct symbol *rsp = &state->registers[GENERAL_RSP];

	if (insn->form->flags & FORM_NOP)
		return;
	for (size_t i = 0; i < operands->n_operands; i++) {
		const struct insn_operand *operand = &operands->operands[i];

		if (operand->kind != OPERAND_MEMORY)
			continue;
		addresses[i] = address_of(state, operand);
		shapes[i] = shape_of(state, operands, operand);
		if (operand->is_hidden && operands->moves_stack && operand->is_written)
			addresses[i].offset -= operand->bits / 8;
		if (operand->is_read)
			loaded = load(state, insn, addresses[i], shapes[i], operand->bits / 8, iteration);
	}
	result = evaluate(state, block, insn, loaded);
	data = result;
	if (insn->form->symbolic == SYMBOLIC_COPY && !operands->reads_memory)
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
			state->stores[state->n_stores++ % MAX_STORES] =
				(struct store){addresses[i], data, shapes[i], operand->bits / 8, number, iteration};
		if (operands->moves_stack && operand->is_hidden)
			rsp->offset += (operand->is_written ? -1 : 1) * (int64_t)(operand->bits / 8);
	}
	write_registers(state, operands, result);
}

static bool has_load(const struct block *block)
{
	for (size_t i = 0; i < block->n_insns; i++)
		if (block->insns[i].operands.reads_memory)
			return true;
	return false;
}

void block_find_forwarding(struct block *block, enum pipeline_pointers pointers)
{
	bool are_same = pointers == POINTERS_SAME;
	struct state state;

	if (!has_load(block))
		return;
	state.n_stores = 0;
	state.unwritten = (struct symbol){are_same ? 0 : UNKNOWN, SAME_POINTER};
	for (uint32_t i = 0; i < INSN_N_GENERAL; i++) {
		state.registers[i] = are_same ? (struct symbol){0, SAME_POINTER} : (struct symbol){mix(1, i), 0};
		state.versions[i] = 0;
	}
	/* The stack and the frame have addresses that differ from all others. */
	state.registers[GENERAL_RSP].id = mix(1, GENERAL_RSP);
	state.registers[GENERAL_RBP].id = mix(1, GENERAL_RBP);
	for (uint32_t iteration = 0; iteration < N_ITERATIONS; iteration++)
		for (size_t i = 0; i < block->n_insns; i++)
			execute(&state, block, &block->insns[i], (uint32_t)i, iteration);
	for (size_t i = 0; i < block->n_insns; i++) {
		if (block->insns[i].n_steady < N_STEADY)
			block->insns[i].forwarded_from = NO_INSN;
		block->insns[i].misses_tlb = block->insns[i].n_page_changes >= N_STEADY;
	}
}
