#include "profile/call_circles.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Of 12 bytes each; sets change at few places of a tree most of the time. */
#define N_STEPS ((size_t)1 << 16)

void call_circles_deinit(struct call_circles *circles)
{
	call_tally_deinit(&circles->tally);
	free(circles->sets);
	free(circles->members);
	free(circles->set_slots);
	free(circles->steps);
	free(circles->stamps);
	*circles = (struct call_circles){0};
}

static uint32_t *slot_of(const struct call_circles *circles, const uint32_t *members, uint32_t n_members)
{
	size_t mask = circles->n_set_slots - 1, i;
	uint64_t hash = n_members;

	for (uint32_t k = 0; k < n_members; k++)
		hash = (hash ^ members[k]) * CALL_HASH_FACTOR;
	for (i = (size_t)(hash >> 32) & mask; circles->set_slots[i]; i = (i + 1) & mask) {
		const struct call_set *set = &circles->sets[circles->set_slots[i] - 1];

		if (set->n_members == n_members &&
		    memcmp(circles->members + set->first, members, n_members * sizeof(*members)) == 0)
			break;
	}
	return &circles->set_slots[i];
}

static void grow(struct call_circles *circles)
{
	free(circles->set_slots);
	circles->n_set_slots = circles->n_set_slots ? circles->n_set_slots * 2 : 64;
	circles->set_slots = xcalloc(circles->n_set_slots, sizeof(*circles->set_slots));
	for (size_t i = 0; i < circles->n_sets; i++) {
		const struct call_set *set = &circles->sets[i];

		*slot_of(circles, circles->members + set->first, set->n_members) = (uint32_t)i + 1;
	}
}

static void begin(struct call_circles *circles)
{
	circles->steps = xcalloc(N_STEPS, sizeof(*circles->steps));
	ARRAY_ADD(circles, sets);
	grow(circles);
}

/* The set of the members from `first` on, which lie behind those of all sets. */
static uint32_t intern(struct call_circles *circles, size_t first)
{
	uint32_t n_members = (uint32_t)(circles->n_members - first), *slot;

	if (circles->n_sets * 2 >= circles->n_set_slots)
		grow(circles);
	slot = slot_of(circles, circles->members + first, n_members);
	if (!*slot && circles->n_sets < CALL_SETS_MAX) {
		*ARRAY_ADD(circles, sets) = (struct call_set){.first = first, .n_members = n_members};
		*slot = (uint32_t)circles->n_sets;
		return *slot - 1;
	}
	circles->n_members = first;
	circles->is_full |= !*slot;
	return *slot ? *slot - 1 : CALL_SET_EMPTY;
}

/* Whether a function is seen for the first time since the last stamp. */
static bool see(struct call_circles *circles, uint32_t function)
{
	size_t index = (size_t)(uint32_t)(function + 1);

	circles->stamps = array_reserve(circles->stamps, &circles->stamps_capacity, index + 1,
					sizeof(*circles->stamps));
	if (circles->stamps[index] == circles->stamp)
		return false;
	circles->stamps[index] = circles->stamp;
	return true;
}

static void add_member(struct call_circles *circles, uint32_t function)
{
	if (see(circles, function))
		*ARRAY_ADD(circles, members) = function;
}

static int compare(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

static uint32_t find(struct call_circles *circles, const struct profile_context *contexts, const uint32_t *functions,
		     uint32_t set, uint32_t context)
{
	uint32_t counts = contexts[context].recursion_of;
	size_t first = circles->n_members;

	circles->stamp++;
	if (counts == PROFILE_NONE) {
		see(circles, functions[context]);
	} else {
		for (uint32_t above = counts; above != PROFILE_NONE; above = contexts[above].parent)
			see(circles, functions[above]);
		for (uint32_t left = contexts[context].parent; left != counts; left = contexts[left].parent)
			add_member(circles, functions[left]);
	}
	for (uint32_t i = 0; i < circles->sets[set].n_members; i++)
		add_member(circles, circles->members[circles->sets[set].first + i]);
	if (circles->n_members > first)
		qsort(circles->members + first, circles->n_members - first, sizeof(*circles->members), compare);
	return intern(circles, first);
}

uint32_t call_circles_enter(struct call_circles *circles, const struct profile_context *contexts,
			    const uint32_t *functions, uint32_t set, uint32_t context)
{
	uint32_t counts = contexts[context].recursion_of;
	struct call_step *step;

	/* Most calls are outside of circles, or of a function by itself. */
	if (set == CALL_SET_EMPTY && (counts == PROFILE_NONE || counts == contexts[context].parent))
		return CALL_SET_EMPTY;
	if (!circles->steps)
		begin(circles);
	step = &circles->steps[((uint64_t)set << 32 | context) * CALL_HASH_FACTOR % N_STEPS];
	if (step->set != set || step->context != context)
		*step = (struct call_step){set, context, find(circles, contexts, functions, set, context)};
	return step->found;
}
