#include "costmodels/estimators/pipeline/region/replay.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/index.h"
#include "decode/insn.h"

/* Distance between the addresses of different operands. It exceeds the longest access, so that no two accesses
 * overlap by chance. */
#define ADDRESS_STRIDE 128
#define DATA_VA (UINT64_C(1) << 40)

/* Number of latest executions of paths whose addresses are kept for memory dependences. */
enum { N_KEPT = 3 };

void replay_init(struct replay *replay, const struct profile *profile, struct pipeline *pipeline)
{
	*replay = (struct replay){.profile = profile, .latest_va = DATA_VA, .delayed_insn = PROFILE_NONE};
	replay->events = xcalloc(profile->n_insns, sizeof(*replay->events));
	replay->simulator = simulator_create(pipeline);
	replay->paths = xcalloc(profile->n_paths, sizeof(*replay->paths));
}

void replay_deinit(struct replay *replay)
{
	simulator_destroy(replay->simulator);
	free(replay->paths);
	free(replay->path_blocks);
	free(replay->blocks);
	free(replay->insns);
	free(replay->block_index.slots);
	free(replay->addresses);
	free(replay->insn_addresses);
	free(replay->events);
	free(replay->load_cycles);
	*replay = (struct replay){0};
}

static bool is_of(const struct replay *replay, size_t block, const uint32_t *insns, uint32_t n_insns)
{
	const struct replay_block *found = &replay->blocks[block];

	return found->n_insns == n_insns &&
	       memcmp(&replay->insns[found->first_insn], insns, n_insns * sizeof(*insns)) == 0;
}

static uint32_t *find_slot(const struct replay *replay, const uint32_t *insns, uint32_t n_insns)
{
	return INDEX_SLOT(&replay->block_index, index_hash_words(insns, n_insns), i, is_of(replay, i, insns, n_insns));
}

/* Returns whether the bytes are exactly one instruction. Bytes of a damaged profile may not be. */
static bool decodes_whole(const struct profile_insn *insn, struct insn *decoded)
{
	return insn->length && insn_decode(insn->bytes, insn->length, decoded) && decoded->length == insn->length;
}

static void add_to_simulator(struct replay *replay, struct replay_block *block, const uint32_t *insns)
{
	uint8_t *bytes = xcalloc(block->n_insns, INSN_MAX_BYTES);
	struct error ignored = {0};
	bool is_whole = true;
	size_t n_bytes = 0;

	for (uint32_t i = 0; i < block->n_insns; i++) {
		const struct profile_insn *insn = &replay->profile->insns[insns[i]];
		uint8_t n_addresses = (uint8_t)profile_insn_n_addresses(insn);
		struct insn decoded;

		is_whole &= decodes_whole(insn, &decoded);
		memcpy(bytes + n_bytes, insn->bytes, insn->length);
		n_bytes += insn->length;
		*ARRAY_ADD(replay, insn_addresses) = n_addresses;
		block->n_addresses += n_addresses;
	}
	if (!is_whole || !simulator_add_block(replay->simulator, bytes, n_bytes, replay->profile->insns[insns[0]].va,
					      &block->number, &ignored))
		block->number = REPLAY_NO_BLOCK;
	free(bytes);
}

static uint32_t intern_block(struct replay *replay, const uint32_t *insns, uint32_t n_insns)
{
	struct replay_block *block;
	uint32_t *slot;

	INDEX_RESERVE(&replay->block_index, replay->n_blocks, i,
		      find_slot(replay, &replay->insns[replay->blocks[i].first_insn], replay->blocks[i].n_insns));
	slot = find_slot(replay, insns, n_insns);
	if (*slot)
		return *slot - 1;
	block = ARRAY_ADD(replay, blocks);
	*block = (struct replay_block){.first_insn = (uint32_t)replay->n_insns, .n_insns = n_insns};
	for (uint32_t i = 0; i < n_insns; i++)
		*ARRAY_ADD(replay, insns) = insns[i];
	add_to_simulator(replay, block, insns);
	*slot = (uint32_t)replay->n_blocks;
	return (uint32_t)replay->n_blocks - 1;
}

/* Returns whether a block ends before `next`. */
static bool ends_block(const struct profile_insn *insn, const struct profile_insn *next)
{
	struct insn decoded;

	return !decodes_whole(insn, &decoded) || decoded.flow != FLOW_NEXT || !next->length ||
	       insn->va + insn->length != next->va;
}

static void make_path(struct replay *replay, struct replay_path *made, const struct profile_path *path)
{
	const struct profile_insn *all = replay->profile->insns;
	const uint32_t *insns = &replay->profile->path_insns[path->first_insn];

	made->first_block = replay->n_path_blocks;
	for (uint32_t first = 0, i = 0; i < path->n_insns; i++) {
		if (i + 1 < path->n_insns && !ends_block(&all[insns[i]], &all[insns[i + 1]]))
			continue;
		*ARRAY_ADD(replay, path_blocks) = intern_block(replay, &insns[first], i + 1 - first);
		made->n_blocks++;
		first = i + 1;
	}
}

const uint32_t *replay_blocks(struct replay *replay, uint32_t path, uint32_t *n_blocks)
{
	struct replay_path *made = &replay->paths[path];

	if (!made->n_blocks)
		make_path(replay, made, &replay->profile->paths[path]);
	*n_blocks = made->n_blocks;
	return &replay->path_blocks[made->first_block];
}

void replay_restart(struct replay *replay)
{
	simulator_drain(replay->simulator);
	replay->n_addresses = 0;
	memset(replay->path_addresses, 0, sizeof(replay->path_addresses));
}

/* Returns room for the addresses of another execution, or NULL if the execution has none. May discard the oldest
 * addresses. */
static uint64_t *begin_addresses(struct replay *replay, uint32_t n_addresses)
{
	enum { ADDRESSES_MAX = 1 << 16 };
	size_t oldest = replay->first_addresses[N_KEPT - 2];

	if (replay->n_addresses > ADDRESSES_MAX && replay->path_addresses[N_KEPT - 2]) {
		memmove(replay->addresses, replay->addresses + oldest,
			(replay->n_addresses - oldest) * sizeof(*replay->addresses));
		replay->n_addresses -= oldest;
		for (int i = 0; i < N_KEPT - 1; i++)
			replay->first_addresses[i] -= oldest;
	}
	for (int i = N_KEPT - 1; i > 0; i--) {
		replay->first_addresses[i] = replay->first_addresses[i - 1];
		replay->path_addresses[i] = replay->path_addresses[i - 1];
	}
	replay->first_addresses[0] = replay->n_addresses;
	replay->path_addresses[0] = n_addresses;
	replay->n_addresses += n_addresses;
	replay->addresses = array_reserve(replay->addresses, &replay->addresses_capacity, replay->n_addresses,
					  sizeof(*replay->addresses));
	return n_addresses ? &replay->addresses[replay->first_addresses[0]] : NULL;
}

/* Gives each operand a new address. A load that depends on a store gets the address of the store. */
static const uint64_t *lay_out_addresses(struct replay *replay, const struct profile_path *path)
{
	uint64_t *addresses = begin_addresses(replay, path->n_addresses);

	for (uint32_t i = 0; i < path->n_addresses; i++)
		addresses[i] = replay->latest_va += ADDRESS_STRIDE;
	for (uint32_t i = 0; i < path->n_dependences; i++) {
		const struct profile_dependence *read = &replay->profile->path_dependences[path->first_dependence + i];
		uint32_t back = read->paths_back;

		if (back < N_KEPT && read->store < replay->path_addresses[back])
			addresses[read->load] = replay->addresses[replay->first_addresses[back] + read->store] +
						(uint64_t)(int64_t)read->offset;
	}
	return addresses;
}

void replay_repeat_events(struct replay *replay)
{
	replay->random = 0;
}

bool replay_has_frequent_event(const struct replay *replay, uint32_t insn)
{
	static const struct replay_events none;

	return memcmp(&replay->events[insn], &none, sizeof(none)) != 0;
}

/* Draws a pseudo-random number, because regular events would stay in step with a simulated loop. */
static bool happens(struct replay *replay, uint32_t share)
{
	if (!share)
		return false;
	replay->random = replay->random * 6364136223846793005 + 1442695040888963407; /* Knuth's MMIX generator */
	return replay->random >> 48 < share;
}

/* Returns the extra latency of an instruction's loads in this execution. */
static uint32_t miss_cycles(struct replay *replay, uint32_t insn)
{
	uint32_t cycles = 0;

	if (insn == replay->delayed_insn) {
		cycles = replay->delay_cycles;
		replay->delayed_insn = PROFILE_NONE;
	}
	for (int miss = 0; miss < N_PROFILE_MISSES; miss++)
		if (happens(replay, replay->events[insn].misses[miss]))
			cycles += replay->miss_cycles[miss];
	return cycles;
}

/* Returns NULL if all loads hit. */
static const uint32_t *find_load_cycles(struct replay *replay, const struct replay_block *block)
{
	uint32_t at = 0;

	if (!block->n_addresses)
		return NULL;
	replay->load_cycles = array_reserve(replay->load_cycles, &replay->load_cycles_capacity, block->n_addresses,
					    sizeof(*replay->load_cycles));
	for (uint32_t i = 0; i < block->n_insns; i++) {
		uint32_t n_addresses = replay->insn_addresses[block->first_insn + i], cycles = 0;

		if (n_addresses)
			cycles = miss_cycles(replay, replay->insns[block->first_insn + i]);
		for (uint32_t k = 0; k < n_addresses; k++)
			replay->load_cycles[at++] = cycles;
	}
	return replay->load_cycles;
}

void replay_execute(struct replay *replay, uint32_t index, uint32_t mispredicted)
{
	const struct profile_path *path = &replay->profile->paths[index];
	struct simulator_execution execution = {0};
	const uint64_t *addresses = NULL;
	const uint32_t *blocks;
	uint32_t n_blocks;

	if (replay->profile->has_addresses)
		addresses = lay_out_addresses(replay, path);
	blocks = replay_blocks(replay, index, &n_blocks);
	for (uint32_t i = 0; i < n_blocks; i++) {
		const struct replay_block *block = &replay->blocks[blocks[i]];
		uint32_t last_insn = replay->insns[block->first_insn + block->n_insns - 1];

		execution.addresses = addresses;
		execution.load_cycles = find_load_cycles(replay, block);
		execution.is_mispredicted = happens(replay, replay->events[last_insn].mispredictions) ||
					    i == mispredicted;
		if (block->number != REPLAY_NO_BLOCK)
			simulator_execute(replay->simulator, block->number, &execution);
		if (addresses)
			addresses += block->n_addresses;
	}
}
