/* Which store a load takes its value from, by executing a few iterations on symbols: an address is a value that is not
 * known, times nothing, plus a known distance. Two addresses of different unknown values are taken to differ. */
#include <string.h>

#include "base/array.h"
#include "costmodels/estimators/pipeline/block/block.h"

#define N_ITERATIONS 8
#define N_STEADY 3 /* the last ones, in which a load must take from the same store, at the same distance */
#define MAX_STORES 256

struct symbol {
	uint64_t id; /* 0: none, the offset is the value */
	int64_t offset;
};

/* How an address is written, as far as renaming of memory minds: registers that keep their versions, and a displacement. */
struct place {
	uint8_t base, index, scale; /* index: its number + 1; 0: none */
	uint32_t version;	    /* of both */
	int64_t displacement;
	bool is_general; /* its registers */
};

struct store {
	struct symbol address, data;
	struct place place;
	uint32_t bytes, insn, iteration;
};

struct state {
	struct symbol unwritten; /* what all memory holds at first; id UNKNOWN: something that depends on the address */
	uint32_t versions[INSN_N_GENERAL];
	struct symbol registers[INSN_N_GENERAL];
	struct store stores[MAX_STORES]; /* a ring: the n_stores latest */
	uint32_t n_stores;
};

#define UNKNOWN UINT64_MAX

/* BHive (IISWC 2019) and our own harness: registers and memory hold one mappable address. */
#define SAME_POINTER 0x2324000
#define PAGE_BITS 12
#define SAME_PAGE_BYTES ((int64_t)1 << PAGE_BITS) /* and all virtual pages are one physical page */

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

	if (operand->base.file == REGISTER_NONE && operand->index.file == REGISTER_NONE)
		out.id = mix(1, INSN_N_GENERAL); /* of the segment FS or GS, as a rule */
	if (operand->index.file != REGISTER_NONE) {
		if (index.id)
			out.id = mix(mix(base.id, operand->scale), index.id);
		out.offset = (int64_t)((uint64_t)out.offset + (uint64_t)index.offset * operand->scale);
	}
	return out;
}

static struct place place_of(const struct state *state, const struct insn_operands *operands,
			     const struct insn_operand *operand)
{
	struct place out = {.displacement = operand->displacement};
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
	/* The stack engine knows how far RSP has moved. */
	if (out.base == GENERAL_RSP)
		out.displacement += state->registers[GENERAL_RSP].offset;
	if (is_stack && operand->is_written)
		out.displacement -= operand->bits / 8;
	return out;
}

static bool are_same_place(const struct place *a, const struct place *b)
{
	return a->is_general && b->is_general && a->base == b->base && a->index == b->index && a->scale == b->scale &&
	       a->version == b->version && a->displacement == b->displacement;
}

/* The distance between addresses of one base; of known ones, within the one physical page. */
static int64_t distance_between(const struct state *state, struct symbol from, struct symbol to)
{
	int64_t distance = (int64_t)((uint64_t)to.offset - (uint64_t)from.offset);

	if (from.id || state->unwritten.id == UNKNOWN)
		return distance;
	distance &= SAME_PAGE_BYTES - 1;
	return distance < SAME_PAGE_BYTES / 2 ? distance : distance - SAME_PAGE_BYTES;
}

/* The latest store that the access overlaps, or NULL. */
static const struct store *find_store(const struct state *state, struct symbol address, uint32_t bytes)
{
	uint32_t n = state->n_stores < MAX_STORES ? state->n_stores : MAX_STORES;

	for (uint32_t i = 1; i <= n; i++) {
		const struct store *store = &state->stores[(state->n_stores - i) % MAX_STORES];

		int64_t distance;

		if (store->address.id != address.id)
			continue;
		distance = distance_between(state, store->address, address);
		if (distance > -(int64_t)bytes && distance < (int64_t)store->bytes)
			return store;
	}
	return NULL;
}

/* The low bytes of a value that is known; else something else that depends on it. */
static struct symbol narrow(struct symbol value, uint32_t bytes)
{
	if (bytes >= 8)
		return value;
	if (value.id)
		return (struct symbol){mix(mix(value.id, (uint64_t)value.offset), bytes), 0};
	value.offset &= (int64_t)(((uint64_t)1 << 8 * bytes) - 1);
	return value;
}

/* Of a value that is known; another one stays what narrow() made of it. */
static struct symbol sign_extend(struct symbol value, unsigned bits)
{
	if (!value.id && bits < 64)
		value.offset = (int64_t)((uint64_t)value.offset << (64 - bits)) >> (64 - bits);
	return value;
}

static struct symbol load(struct state *state, struct block_insn *insn, struct symbol address, struct place place,
			  uint32_t bytes, uint32_t iteration)
{
	const struct store *store = find_store(state, address, bytes);
	uint32_t from = store ? store->insn : NO_INSN, distance = store ? iteration - store->iteration : 0;
	bool enters_page;
	int64_t bytes_apart = store ? distance_between(state, store->address, address) : 0;

	if (from != insn->forwarded_from || distance != insn->forwarded_distance || bytes_apart != insn->bytes_apart)
		insn->n_steady = 0;
	insn->n_steady++;
	enters_page = iteration && insn->last_address_id == address.id &&
		      insn->last_address >> PAGE_BITS != address.offset >> PAGE_BITS;
	insn->n_entered = enters_page ? insn->n_entered + 1 : 0;
	insn->last_address_id = address.id;
	insn->last_address = address.offset;
	insn->bytes_apart = bytes_apart;
	insn->forwarded_from = from;
	insn->forwarded_distance = distance;
	insn->forwarding_fails = insn->is_renamed = insn->has_other_name = false;
	if (!store && state->unwritten.id != UNKNOWN)
		return address.offset & 7 && !address.id ? (struct symbol){mix((uint64_t)address.offset, bytes), 0}
							 : narrow(state->unwritten, bytes);
	if (!store)
		return (struct symbol){mix(mix(address.id, (uint64_t)address.offset), bytes), 0};
	insn->forwarding_fails = bytes_apart < 0 || bytes_apart + (int64_t)bytes > (int64_t)store->bytes;
	insn->has_other_name = (uint64_t)address.offset - (uint64_t)store->address.offset != (uint64_t)bytes_apart;
	insn->is_renamed = are_same_place(&place, &store->place) && store->bytes >= bytes;
	if (bytes_apart == 0 && store->bytes >= bytes)
		return narrow(store->data, bytes);
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
	bool is_followed = is_wide || (operands->n_operands && first->bits == 32);
	struct symbol old = first->kind == OPERAND_REGISTER ? value_of(state, &first->reg) : loaded;
	struct symbol out = {mix(insn->offset + 1, insn->length), 0};

	if (insn->facts->flags & FORM_ZERO)
		return (struct symbol){0, 0};
	/* 32 bits of what is not known are something else: narrow() sees to it. */
	switch (is_followed ? insn->facts->symbolic : SYMBOLIC_OTHER) {
	case SYMBOLIC_COPY:
	case SYMBOLIC_EXTEND:
		if (operands->reads_memory)
			return loaded;
		if (second->kind == OPERAND_REGISTER && second->reg.file == REGISTER_GENERAL)
			return second->reg.first_bit ? out : narrow(value_of(state, &second->reg), second->bits / 8);
		break;
	case SYMBOLIC_SIGN_EXTEND:
		if (operands->reads_memory)
			return sign_extend(loaded, second->bits);
		if (second->kind == OPERAND_REGISTER && second->reg.file == REGISTER_GENERAL && !second->reg.first_bit)
			return sign_extend(narrow(value_of(state, &second->reg), second->bits / 8), second->bits);
		break;
	case SYMBOLIC_IMMEDIATE:
		if (operands->immediate_bytes <= 4)
			return (struct symbol){0, immediate_of(block, insn)};
		break;
	case SYMBOLIC_ADD:
	case SYMBOLIC_SUB:
		if (has_immediate) {
			int64_t by = immediate_of(block, insn);

			old.offset = (int64_t)((uint64_t)old.offset +
					       (uint64_t)(insn->facts->symbolic == SYMBOLIC_ADD ? by : -by));
			return old;
		}
		if (!old.id && second->kind == OPERAND_REGISTER && second->reg.file == REGISTER_GENERAL) {
			struct symbol other = value_of(state, &second->reg);

			other.offset = insn->facts->symbolic == SYMBOLIC_ADD
					       ? (int64_t)((uint64_t)old.offset + (uint64_t)other.offset)
					       : (int64_t)((uint64_t)old.offset - (uint64_t)other.offset);
			if (!other.id)
				return other;
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
		state->versions[operand->reg.number]++;
		state->registers[operand->reg.number] =
			is_first && operand->bits >= 32
				? narrow(result, operand->bits / 8)
				: (struct symbol){mix(mix(result.id, (uint64_t)result.offset), i + operand->bits), 0};
		is_first = false;
	}
}

static void execute(struct state *state, const struct block *block, struct block_insn *insn, uint32_t number,
		    uint32_t iteration)
{
	const struct insn_operands *operands = &insn->operands;
	struct symbol loaded = {0, 0}, result, data, addresses[INSN_MAX_OPERANDS];
	struct place places[INSN_MAX_OPERANDS];
	struct symbol *rsp = &state->registers[GENERAL_RSP];

	if (insn->facts->flags & FORM_NOP)
		return;
	for (size_t i = 0; i < operands->n_operands; i++) {
		const struct insn_operand *operand = &operands->operands[i];

		if (operand->kind != OPERAND_MEMORY)
			continue;
		addresses[i] = address_of(state, operand);
		places[i] = place_of(state, operands, operand);
		if (operand->is_hidden && operands->moves_stack && operand->is_written)
			addresses[i].offset -= operand->bits / 8;
		if (operand->is_read)
			loaded = load(state, insn, addresses[i], places[i], operand->bits / 8, iteration);
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
			state->stores[state->n_stores++ % MAX_STORES] =
				(struct store){addresses[i], data, places[i], operand->bits / 8, number, iteration};
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

void block_follow_memory(struct block *block, enum pipeline_pointers pointers)
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
	/* The stack is elsewhere. */
	state.registers[GENERAL_RSP].id = mix(1, GENERAL_RSP);
	state.registers[GENERAL_RBP].id = mix(1, GENERAL_RBP);
	for (uint32_t iteration = 0; iteration < N_ITERATIONS; iteration++)
		for (size_t i = 0; i < block->n_insns; i++)
			execute(&state, block, &block->insns[i], (uint32_t)i, iteration);
	for (size_t i = 0; i < block->n_insns; i++) {
		if (block->insns[i].n_steady < N_STEADY)
			block->insns[i].forwarded_from = NO_INSN;
		block->insns[i].misses_tlb = block->insns[i].n_entered >= N_STEADY;
	}
}
