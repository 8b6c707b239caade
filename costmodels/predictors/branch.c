#include "costmodels/predictors/branch.h"

#include <stdlib.h>

#include "base/array.h"

#define FIBONACCI UINT64_C(0x9e3779b97f4a7c15)			/* Knuth, TAOCP vol. 3, 6.4 */
#define INDEX_SHIFT(n_entries) (__builtin_clzll(n_entries) + 1) /* leaves a hash below n_entries, a power of two */

/* Useful counters are halved after AGING_PERIOD conditional branches (Seznec and Michaud: 256K). */
enum { AGING_PERIOD = 1 << 18, HISTORY_BITS = 512, COUNTER_MAX = 3, USEFUL_MAX = 3, USE_ALTERNATE_MAX = 7 };

static const unsigned history_lengths[BRANCH_TABLES] = {5, 12, 27, 63, 140, 300};

struct tagged {
	uint16_t tag;	/* 0: free */
	int8_t counter; /* -4 to 3; 0 and above predict taken */
	uint8_t useful; /* 0 to 3 */
};

struct loop {
	uint64_t va;
	uint32_t rounds, now; /* executions in `direction` in a row: in the last loop, and so far in the current one */
	uint8_t confidence;
	bool direction; /* direction while the loop continues */
};

struct target {
	uint64_t va, to;
};

/* The latest `length` outcomes, folded by XOR into `bits` bits. */
struct fold {
	uint32_t value;
	unsigned length, bits;
};

struct branch_predictor {
	uint8_t base[BRANCH_BASE_ENTRIES]; /* 0 to 3; 2 and above predict taken */
	struct tagged tables[BRANCH_TABLES][BRANCH_TABLE_ENTRIES];
	struct fold indices[BRANCH_TABLES], tags[BRANCH_TABLES], target_history;
	uint8_t history[HISTORY_BITS]; /* a ring of outcomes */
	unsigned newest;
	int use_alternate; /* 0 and above: the alternate prediction replaces that of a fresh entry */
	uint32_t random, n_conditional;
	struct loop loops[BRANCH_LOOPS];
	struct target last_targets[BRANCH_TARGETS], targets[BRANCH_TARGETS];
	uint64_t stack[BRANCH_STACK];
	unsigned top;
};

enum { INDEX_BITS = 11 };
_Static_assert(BRANCH_TABLE_ENTRIES == 1 << INDEX_BITS, "an index has as many bits as the entries need");

struct branch_predictor *branch_predictor_create(void)
{
	struct branch_predictor *predictor = xcalloc(1, sizeof(*predictor));

	for (size_t i = 0; i < BRANCH_BASE_ENTRIES; i++)
		predictor->base[i] = 1;
	for (size_t i = 0; i < BRANCH_TABLES; i++) {
		predictor->indices[i] = (struct fold){0, history_lengths[i], INDEX_BITS};
		predictor->tags[i] = (struct fold){0, history_lengths[i], BRANCH_TAG_BITS - 1};
	}
	predictor->target_history = (struct fold){0, BRANCH_TARGET_HISTORY, 12};
	predictor->random = 1;
	return predictor;
}

void branch_predictor_destroy(struct branch_predictor *predictor)
{
	free(predictor);
}

static uint64_t hash(uint64_t value)
{
	return (value ^ value >> 29) * FIBONACCI; /* Each table uses other bits, so that collisions differ. */
}

/* Shifts the newest outcome in and removes the oldest one. */
static void fold_push(struct fold *fold, const struct branch_predictor *predictor, bool outcome)
{
	bool oldest = predictor->history[(predictor->newest + fold->length) % HISTORY_BITS];

	fold->value = fold->value << 1 | outcome;
	fold->value ^= (uint32_t)oldest << fold->length % fold->bits;
	fold->value ^= fold->value >> fold->bits;
	fold->value &= (1u << fold->bits) - 1;
}

static void push_history(struct branch_predictor *predictor, bool outcome)
{
	predictor->newest = (predictor->newest + HISTORY_BITS - 1) % HISTORY_BITS;
	predictor->history[predictor->newest] = outcome;
	for (size_t i = 0; i < BRANCH_TABLES; i++) {
		fold_push(&predictor->indices[i], predictor, outcome);
		fold_push(&predictor->tags[i], predictor, outcome);
	}
	fold_push(&predictor->target_history, predictor, outcome);
}

static void count_up_down(int8_t *counter, bool up)
{
	if (up && *counter < COUNTER_MAX)
		++*counter;
	if (!up && *counter > -COUNTER_MAX - 1)
		--*counter;
}

/* Table entries for one conditional branch. */
struct lookup {
	struct tagged *slots[BRANCH_TABLES];
	uint16_t tags[BRANCH_TABLES];
	int provider, alternate; /* matching tables with the longest and the next longest history; -1: base */
	uint8_t *base;
};

static void look_up(struct branch_predictor *predictor, uint64_t va, struct lookup *out)
{
	uint64_t key = hash(va);

	*out = (struct lookup){.provider = -1, .alternate = -1};
	out->base = &predictor->base[key >> INDEX_SHIFT(BRANCH_BASE_ENTRIES)];
	for (int i = 0; i < BRANCH_TABLES; i++) {
		uint32_t index = (uint32_t)(key >> (20 + i)) ^ predictor->indices[i].value;
		uint32_t tag = (uint32_t)(key >> 8) ^ predictor->tags[i].value << 1;

		out->slots[i] = &predictor->tables[i][index % BRANCH_TABLE_ENTRIES];
		out->tags[i] = (uint16_t)(tag % ((1u << BRANCH_TAG_BITS) - 1) + 1);
		if (out->slots[i]->tag != out->tags[i])
			continue;
		out->alternate = out->provider;
		out->provider = i;
	}
}

static bool predicts_taken(const struct lookup *lookup, int table)
{
	return table < 0 ? *lookup->base >= 2 : lookup->slots[table]->counter >= 0;
}

static bool is_fresh(const struct tagged *entry)
{
	return entry->useful == 0 && (entry->counter == 0 || entry->counter == -1);
}

/* Allocates an entry with a longer history. Replaces an entry that was not useful. */
static void allocate(struct branch_predictor *predictor, const struct lookup *lookup, bool taken)
{
	int first = lookup->provider + 1;

	/* Sometimes skips a table, so that branches do not compete for one table. */
	predictor->random = predictor->random * 1664525 + 1013904223; /* Knuth, TAOCP vol. 2, 3.3.4 */
	if (first + 1 < BRANCH_TABLES && (predictor->random >> 30) == 0)
		first++;
	for (int i = first; i < BRANCH_TABLES; i++) {
		if (lookup->slots[i]->useful)
			continue;
		*lookup->slots[i] = (struct tagged){lookup->tags[i], taken ? 0 : -1, 0};
		return;
	}
	for (int i = first; i < BRANCH_TABLES; i++)
		lookup->slots[i]->useful--;
}

static void age(struct branch_predictor *predictor)
{
	if (++predictor->n_conditional % AGING_PERIOD)
		return;
	for (size_t i = 0; i < BRANCH_TABLES; i++)
		for (size_t k = 0; k < BRANCH_TABLE_ENTRIES; k++)
			predictor->tables[i][k].useful /= 2;
}

static void learn(struct branch_predictor *predictor, const struct lookup *lookup, bool taken)
{
	struct tagged *entry = lookup->provider < 0 ? NULL : lookup->slots[lookup->provider];
	bool provided = predicts_taken(lookup, lookup->provider), alternate = predicts_taken(lookup, lookup->alternate);

	if (entry && is_fresh(entry) && provided != alternate) {
		if (alternate == taken && predictor->use_alternate < USE_ALTERNATE_MAX)
			predictor->use_alternate++;
		if (alternate != taken && predictor->use_alternate > -USE_ALTERNATE_MAX - 1)
			predictor->use_alternate--;
	}
	if (provided != taken && lookup->provider < BRANCH_TABLES - 1)
		allocate(predictor, lookup, taken);
	if (!entry) {
		if (taken && *lookup->base < 3)
			++*lookup->base;
		if (!taken && *lookup->base > 0)
			--*lookup->base;
		return;
	}
	if (provided != alternate && provided == taken && entry->useful < USEFUL_MAX)
		entry->useful++;
	if (provided != alternate && provided != taken && entry->useful)
		entry->useful--;
	count_up_down(&entry->counter, taken);
}

/* Returns whether the loop table predicts the branch. */
static bool predict_by_loop(const struct branch_predictor *predictor, uint64_t va, bool *taken)
{
	const struct loop *loop = &predictor->loops[hash(va) >> INDEX_SHIFT(BRANCH_LOOPS)];

	if (loop->va != va || loop->confidence < BRANCH_LOOP_CONFIDENCE)
		return false;
	*taken = loop->now < loop->rounds ? loop->direction : !loop->direction;
	return true;
}

static void train_loop(struct branch_predictor *predictor, uint64_t va, bool taken, bool was_wrong)
{
	struct loop *loop = &predictor->loops[hash(va) >> INDEX_SHIFT(BRANCH_LOOPS)];

	if (loop->va != va) {
		/* Most branches are not loops. Allocates only for mispredicted branches. */
		if (!was_wrong)
			return;
		if (loop->confidence)
			loop->confidence--;
		else
			*loop = (struct loop){.va = va, .direction = !taken};
		return;
	}
	if (taken == loop->direction) {
		loop->now++;
		return;
	}
	if (loop->now == 0) {
		/* Two exits in a row: the other direction continues the loop. */
		*loop = (struct loop){.va = va, .now = 1, .direction = taken};
		return;
	}
	if (loop->now == loop->rounds) {
		loop->confidence += loop->confidence < BRANCH_LOOP_CONFIDENCE;
	} else {
		loop->confidence = 0;
		loop->rounds = loop->now;
	}
	loop->now = 0;
}

/* This and update_indirect() return whether the branch was mispredicted. */
static bool update_conditional(struct branch_predictor *predictor, uint64_t va, bool taken)
{
	struct lookup lookup;
	bool predicted, by_loop, was_wrong;

	look_up(predictor, va, &lookup);
	predicted = predicts_taken(&lookup, lookup.provider);
	if (lookup.provider >= 0 && predictor->use_alternate >= 0 && is_fresh(lookup.slots[lookup.provider]))
		predicted = predicts_taken(&lookup, lookup.alternate);
	was_wrong = predicted != taken;
	learn(predictor, &lookup, taken);
	if (predict_by_loop(predictor, va, &by_loop))
		predicted = by_loop;
	train_loop(predictor, va, taken, was_wrong);
	push_history(predictor, taken);
	age(predictor);
	return predicted != taken;
}

static bool update_indirect(struct branch_predictor *predictor, uint64_t va, uint64_t next_va)
{
	uint64_t key = hash(va);
	struct target *last = &predictor->last_targets[key >> INDEX_SHIFT(BRANCH_TARGETS)];
	struct target *after = &predictor->targets[(key >> 40 ^ predictor->target_history.value) % BRANCH_TARGETS];
	uint64_t predicted = after->va == va ? after->to : last->va == va ? last->to : 0;

	*last = *after = (struct target){va, next_va};
	push_history(predictor, hash(next_va) >> 63);
	push_history(predictor, hash(next_va) >> 62 & 1);
	return predicted != next_va;
}

bool branch_predictor_update(struct branch_predictor *predictor, enum insn_flow flow, uint64_t va, uint64_t end_va,
			     uint64_t next_va)
{
	switch (flow) {
	case FLOW_BRANCH:
		return update_conditional(predictor, va, next_va != end_va);
	case FLOW_JUMP_INDIRECT:
		return update_indirect(predictor, va, next_va);
	case FLOW_CALL:
	case FLOW_CALL_INDIRECT:
		predictor->top = (predictor->top + 1) % BRANCH_STACK;
		predictor->stack[predictor->top] = end_va;
		return flow == FLOW_CALL_INDIRECT && update_indirect(predictor, va, next_va);
	case FLOW_RETURN:
		predictor->top = (predictor->top + BRANCH_STACK - 1) % BRANCH_STACK;
		return predictor->stack[(predictor->top + 1) % BRANCH_STACK] != next_va;
	default:
		return false;
	}
}
