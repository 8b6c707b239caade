/* Execution of blocks. The addresses of accesses decide which store forwards to a load. */
#include "base/array.h"
#include "costmodels/estimators/pipeline/simulation/simulator_private.h"

bool simulator_add_block(struct simulator *simulator, const uint8_t *bytes, size_t n_bytes, uint64_t va,
			 uint32_t *number, struct error *err)
{
	struct pipeline *pipeline = simulator->pipeline;
	struct block *block = pipeline->block;
	enum sim_source source = SOURCE_OP_CACHE;

	if (!block_read(pipeline, block, bytes, n_bytes, err))
		return false;
	if (pipeline->parameters.predecode_bytes && !block_fits_op_cache(&pipeline->parameters, block, va))
		source = SOURCE_DECODERS;
	*number = simulator_lower(simulator, block, va, source);
	return true;
}

#define GRANULE_BYTES 8

static struct sim_store *store_at(struct simulator *simulator, uint64_t granule)
{
	return &simulator->stores[granule % N_STORE_ENTRIES];
}

static uint32_t version_of(const struct simulator *simulator, const struct sim_access *access)
{
	return (access->base == NO_REGISTER ? 0 : simulator->versions[access->base]) +
	       (access->index == NO_REGISTER ? 0 : simulator->versions[access->index]);
}

static void find_store(struct simulator *simulator, const struct sim_access *access, uint64_t va,
		       struct sim_load_source *load_source)
{
	uint64_t last = (va + access->bytes - 1) / GRANULE_BYTES;

	for (uint64_t granule = va / GRANULE_BYTES; granule <= last; granule++) {
		const struct sim_store *store = store_at(simulator, granule);

		if (!store->bytes || store->va >= va + access->bytes || va >= store->va + store->bytes)
			continue;
		if (load_source->forwarded != UINT64_MAX && store->ready < load_source->forwarded)
			continue;
		load_source->forwarded = store->ready;
		load_source->committed = store->commit;
		load_source->fails = va < store->va || va + access->bytes > store->va + store->bytes;
		load_source->is_renamed = access->can_be_renamed && store->va == va && store->base == access->base &&
					  store->index == access->index &&
					  store->version == version_of(simulator, access);
	}
}

static void note_store(struct simulator *simulator, const struct sim_access *access, uint64_t va, uint64_t ready)
{
	uint64_t last = (va + access->bytes - 1) / GRANULE_BYTES;

	for (uint64_t granule = va / GRANULE_BYTES; granule <= last; granule++)
		*store_at(simulator, granule) = (struct sim_store){
			.va = va,
			.ready = ready,
			.commit = simulator->last_commit,
			.bytes = access->bytes,
			.base = access->base,
			.index = access->index,
			.version = version_of(simulator, access),
		};
}

static void step(struct simulator *simulator, const struct sim_block *block, uint32_t number, const uint64_t *addresses,
		 const uint32_t *load_cycles)
{
	const struct sim_insn *insn = &simulator->insns[number];
	const struct sim_access *accesses = insn->n_accesses ? &simulator->accesses[insn->first_access] : NULL;
	struct sim_load_source load_source = {.forwarded = UINT64_MAX};
	uint64_t ready;

	for (uint32_t i = 0; i < insn->n_accesses; i++)
		if (accesses[i].is_read) {
			if (addresses)
				find_store(simulator, &accesses[i], addresses[accesses[i].address_index], &load_source);
			if (load_cycles && load_cycles[accesses[i].address_index] > load_source.extra_cycles)
				load_source.extra_cycles = load_cycles[accesses[i].address_index];
		}
	ready = simulator_step(simulator, block, number, &load_source, NULL);
	for (uint32_t i = 0; addresses && i < insn->n_accesses; i++)
		if (accesses[i].is_written)
			note_store(simulator, &accesses[i], addresses[accesses[i].address_index], ready);
}

void simulator_execute(struct simulator *simulator, uint32_t number, const struct simulator_execution *execution)
{
	static const struct simulator_execution nothing;
	const struct sim_block *block = &simulator->blocks[number];
	const uint64_t *addresses = execution ? execution->addresses : NULL;
	const uint32_t *load_cycles = execution ? execution->load_cycles : NULL;

	if (!execution)
		execution = &nothing;
	if (block->va != simulator->previous_end)
		front_end_jump(simulator, block->va);
	if (execution->fetch_cycles)
		front_end_stall(simulator, simulator->front.cycle + execution->fetch_cycles);
	for (uint32_t i = 0; i < block->n_insns; i++) {
		uint32_t n_addresses = simulator->insns[block->first_insn + i].n_addresses;

		step(simulator, block, block->first_insn + i, addresses, load_cycles);
		addresses = addresses ? addresses + n_addresses : NULL;
		load_cycles = load_cycles ? load_cycles + n_addresses : NULL;
	}
	simulator->previous_end = block->va + block->n_bytes;
	if (execution->is_mispredicted) {
		front_end_stall(simulator, simulator->last_executed + simulator->parameters->mispredict_cycles);
		simulator->mispredicted = block->first_insn + block->n_insns - 1;
	}
}

uint64_t simulator_cycles(const struct simulator *simulator)
{
	return simulator->retire_cycle;
}

void simulator_drain(struct simulator *simulator)
{
	front_end_stall(simulator, simulator->retire_cycle);
	if (simulator->retire_cycle > simulator->issue_cycle)
		simulator_advance(simulator, simulator->retire_cycle);
}

size_t simulator_n_insns(const struct simulator *simulator, uint32_t block)
{
	return simulator->blocks[block].n_insns;
}

const struct simulator_charge *simulator_charges(const struct simulator *simulator, uint32_t block)
{
	return &simulator->charges[simulator->blocks[block].first_insn];
}
