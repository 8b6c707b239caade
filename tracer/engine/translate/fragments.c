#include "engine/translate/fragments.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"

void fragments_deinit(struct fragments *fragments)
{
	free(fragments->fragments);
	free(fragments->insns);
	free(fragments->state_map);
	free(fragments->counters);
	free(fragments->target_counters);
	free(fragments->exit_stubs);
	free(fragments->absolutes);
	va_map_deinit(&fragments->exit_stub_at);
	for (size_t i = 0; i < ZONES_MAX; i++)
		free(fragments->zones[i].list);
	*fragments = (struct fragments){0};
}

void fragments_clear(struct fragments *fragments)
{
	fragments->n_fragments = fragments->n_insns = fragments->n_state_map = 0;
	fragments->n_counters = fragments->n_target_counters = fragments->n_exit_stubs = 0;
	fragments->n_absolutes = 0;
	va_map_clear(&fragments->exit_stub_at);
	for (size_t i = 0; i < ZONES_MAX; i++)
		fragments->zones[i].n_list = 0;
}

struct fragment *fragments_add(struct fragments *fragments, size_t zone, uint64_t entry_va, uint64_t va)
{
	struct fragment *fragment = ARRAY_ADD(fragments, fragments);

	*ARRAY_ADD(&fragments->zones[zone], list) = (uint32_t)(fragments->n_fragments - 1);
	*fragment = (struct fragment){.va = va,
				      .end_va = va,
				      .entry_va = entry_va,
				      .counted_va = UINT64_MAX,
				      .record_begin_va = UINT64_MAX,
				      .record_end_va = UINT64_MAX,
				      .first_shape = LOG_NO_SHAPE,
				      .branch_counter = COUNTER_NONE,
				      .first_state = (uint32_t)fragments->n_state_map};
	return fragment;
}

void fragments_add_state(struct fragments *fragments, uint64_t cache_va, struct state_map_entry state)
{
	const struct fragment *fragment = &fragments->fragments[fragments->n_fragments - 1];
	uint64_t offset = cache_va - fragment->entry_va;
	size_t n_states = fragments->n_state_map;

	assert(offset <= UINT16_MAX);
	state.offset = (uint16_t)offset;
	if (n_states > fragment->first_state && fragments->state_map[n_states - 1].offset == state.offset)
		fragments->state_map[n_states - 1] = state;
	else
		*ARRAY_ADD(fragments, state_map) = state;
}

void fragments_add_exit_stub(struct fragments *fragments, uint64_t cache_va, struct exit_stub stub)
{
	va_map_set(&fragments->exit_stub_at, cache_va, (uint32_t)fragments->n_exit_stubs);
	*ARRAY_ADD(fragments, exit_stubs) = stub;
}

uint32_t fragments_add_counter(struct fragments *fragments, enum counter_kind kind, uint32_t fragment, size_t insn)
{
	uint32_t index = (uint32_t)fragments->n_counters;

	assert(index < COUNTERS_MAX);
	*ARRAY_ADD(fragments, counters) =
		(struct counter){.kind = kind, .fragment = fragment, .insn = (uint8_t)insn, .site = SITE_NONE};
	if (kind == COUNTER_LAST_TARGET)
		*ARRAY_ADD(fragments, target_counters) = index;
	return index;
}

bool fragments_locate(const struct fragments *fragments, struct cache *cache, uint64_t cache_va,
		      struct cache_location *location)
{
	const struct zone *zone = cache_find_zone(cache, cache_va);
	uint32_t stub = va_map_get(&fragments->exit_stub_at, cache_va);
	const struct zone_fragments *sorted;
	size_t n_before, end, index;
	uint64_t offset;

	*location = (struct cache_location){.stub = stub == VA_MAP_NONE ? NULL : &fragments->exit_stubs[stub]};
	if (!zone)
		return false;
	sorted = &fragments->zones[zone - cache->zones];
	n_before = ARRAY_SEARCH(sorted->n_list, i, fragments->fragments[sorted->list[i]].entry_va <= cache_va);
	if (!n_before)
		return false;
	index = sorted->list[n_before - 1];
	location->fragment = &fragments->fragments[index];
	end = index + 1 < fragments->n_fragments ? location->fragment[1].first_state : fragments->n_state_map;
	offset = cache_va - location->fragment->entry_va;
	for (size_t i = location->fragment->first_state; i < end && fragments->state_map[i].offset <= offset; i++)
		location->state = &fragments->state_map[i];
	return location->state != NULL;
}

struct insn_counters fragments_read_counters(const struct fragments *fragments, const struct fragment *fragment,
					     const uint64_t *values, size_t insn, size_t *at)
{
	const struct counter *counters = &fragments->counters[fragment->counter];
	struct insn_counters found = {0};

	for (; *at < fragment->n_counters && counters[*at].insn == insn; ++*at) {
		uint64_t value = values[*at];

		switch (counters[*at].kind) {
		case COUNTER_REP:
			found.iterations += value;
			break;
		case COUNTER_REP_AFTER:
			found.iterations -= value;
			break;
		case COUNTER_SIDE_EXIT:
			found.n_side_exits = value;
			break;
		case COUNTER_BRANCH:
			found.n_branch = value;
			break;
		case COUNTER_FRAGMENT:
		case COUNTER_LAST_TARGET:
		case COUNTER_INDIRECT_EDGE:
			break;
		}
	}
	return found;
}
