/* Blocks that go on over transfers of control, once it is known where those mostly lead: traces.
 *
 * After a while the executions that blocks counted are noted as heat, by address, and everything is translated anew. A block then goes on behind
 * direct jumps, calls, and branches of which one arm is hardly taken: that one counts, on its way out of the trace, and no other block
 * in it has a counter.
 */
#include "base/array.h"
#include "engine/translate/translator.h"
#include "target/ticks.h"

enum {
	FIRST_TICKS = 5,  /* until traces are made, and again each time as long after that as ... */
	LATER_FACTOR = 4, /* ... this factor says */
	/* Instructions within a tick; a program that starts has 4,000 to 10,000, fewer on a busy machine, one that works mostly less than 100. */
	MUCH_NEW = 500,
	POSTPONED_TICKS = 50, /* for more than this no code is waited for to become known */
	NEWS_TICKS = 25,      /* once in so many it is looked whether the program does something else: ... */
	NEWS_MIN = 100000,    /* ... entries of blocks were into such that traces were not made for, ... */
	NEWS_SHARE = 4,	      /* ... one in so many entries of blocks is into one that traces were not made for */
	/* Entries of blocks that tell enough, since traces were made and that counters have: programs sleep, or do not get to run. */
	LEARNED_MIN = 10000,
	COUNTED_MIN = 256,
	HOT = 256, /* executions that make a copy of the code worth its translation */
	LOOP_COPIES_MAX = 4,
	LOOP_INSNS_MAX = 64, /* of all copies together */
	SAMPLES_MIN = 2,     /* of an indirect transfer, all to the same place, for a trace to go on there */
	HARDLY = 3, /* a branch has a preferred arm if the other one leads to code executed this many times less */

	/* Where a seed decides. */
	FIRST_STOPS = 6,
	SEEDED_LATER_FACTOR = 2,
	ENDING = 8, /* a trace ends at one transfer of so many */
};

uint32_t traces_draw(const struct translator *translator, uint64_t va, uint32_t n_ways)
{
	uint64_t mixed = va ^ (uint64_t)translator->engine->plan->traces_seed << 32 ^
			 (uint64_t)translator->n_clears << 48;

	/* The finalizer of MurmurHash3. */
	mixed = (mixed ^ mixed >> 33) * UINT64_C(0xff51afd7ed558ccd);
	mixed = (mixed ^ mixed >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
	return (uint32_t)((mixed ^ mixed >> 33) % n_ways);
}

static bool is_seeded(const struct translator *translator)
{
	return translator->engine->plan->traces_seed != 0 && translator->engine->plan->traces_seed != TRACES_NEVER;
}

void traces_count_stop(struct translator *translator)
{
	translator->n_stops++;
}

/* What time is measured in. */
static unsigned count_time(const struct translator *translator)
{
	return is_seeded(translator) ? translator->n_stops : ticks_count();
}

/* Whether most of the last tick went into code that was new: there is more of that to come, which would be translated twice. */
static bool is_starting(struct translator *translator, unsigned n_ticks)
{
	if (translator->last_tick != n_ticks) {
		translator->is_starting = translator->pages.n_translated - translator->n_known >= MUCH_NEW;
		translator->n_known = translator->pages.n_translated;
		translator->last_tick = n_ticks;
	}
	return translator->is_starting && n_ticks - translator->first_tick < POSTPONED_TICKS;
}

bool traces_are_due(struct translator *translator)
{
	unsigned n_ticks = count_time(translator);

	if (!translator->n_ticks_wanted) {
		translator->n_ticks_wanted = is_seeded(translator) ? FIRST_STOPS : FIRST_TICKS;
		translator->first_tick = n_ticks;
	}
	if (is_seeded(translator))
		return n_ticks - translator->first_tick >= translator->n_ticks_wanted;
	return translator->engine->plan->traces_seed != TRACES_NEVER && !is_starting(translator, n_ticks) &&
	       (translator->does_news || n_ticks - translator->first_tick >= translator->n_ticks_wanted);
}

static void heat(struct va_map *heats, uint64_t va, uint64_t executions)
{
	uint32_t before = va_map_get(heats, va);
	uint64_t sum = executions + (before == VA_MAP_NONE ? 0 : before);

	if (executions)
		va_map_set(heats, va, sum < VA_MAP_NONE ? (uint32_t)sum : VA_MAP_NONE - 1);
}

static uint32_t heat_in(const struct va_map *heats, uint64_t va)
{
	uint32_t found = va_map_get(heats, va);

	return found == VA_MAP_NONE ? 0 : found;
}

static uint32_t heat_at(const struct translator *translator, uint64_t va)
{
	return heat_in(&translator->heats, va);
}

bool traces_is_hot(const struct translator *translator, uint64_t va)
{
	return is_seeded(translator) ? traces_draw(translator, va, ENDING) != 0 : heat_at(translator, va) >= HOT;
}

struct guess *traces_find_guess(struct translator *translator, uint64_t va)
{
	uint32_t i = va_map_get(&translator->guess_at, va);

	return i == VA_MAP_NONE ? NULL : &translator->guesses[i];
}

struct guess *traces_add_guess(struct translator *translator, uint64_t va, uint64_t target_va)
{
	struct guess *guess = traces_find_guess(translator, va);

	if (guess)
		return guess;
	va_map_set(&translator->guess_at, va, (uint32_t)translator->n_guesses);
	guess = ARRAY_ADD(translator, guesses);
	*guess = (struct guess){.target_va = target_va};
	return guess;
}

static void add_sample(struct translator *translator, uint64_t va, uint64_t target_va)
{
	struct guess *guess = traces_add_guess(translator, va, target_va);

	guess->n_same += guess->target_va == target_va;
	guess->n_others += guess->target_va != target_va;
	guess->is_bad |= guess->n_others != 0;
}

void traces_sample(struct translator *translator, const struct task *task)
{
	uint64_t *values = area_word(task->area, AREA_COUNTERS);

	if (translator->wants_edges || translator->n_sampled_ticks == count_time(translator))
		return;
	translator->n_sampled_ticks = count_time(translator);
	for (size_t i = 0; i < translator->n_targets; i++) {
		const struct counter *counter = &translator->counters[translator->targets[i]];
		uint64_t target_va = values[translator->targets[i]];

		if (!target_va)
			continue;
		values[translator->targets[i]] = 0;
		add_sample(translator,
			   translator->insns[translator->blocks[counter->block].first_insn + counter->insn].va,
			   target_va);
	}
}

bool traces_want_target(struct translator *translator, const struct block_insn *insn)
{
	const struct guess *guess = traces_find_guess(translator, insn->va);

	return !translator->wants_edges && !(guess && guess->is_bad);
}

/* Notes how often each part of a block between two transfers was executed. */
static void heat_block(struct translator *translator, const struct block *block, const uint64_t *values)
{
	const struct block_insn *insns = &translator->insns[block->first_insn];
	uint64_t executions = values[0];
	size_t at = 1;

	heat(&translator->heats, block->va, executions);
	for (size_t i = 0; i + 1 < block->n_insns; i++) {
		uint64_t n_side = insn_counts_find(translator, block, values, i, &at).n_side;
		struct guess *guess;

		if (insns[i].insn.flow == FLOW_NEXT)
			continue;
		heat(&translator->branch_heats, insns[i].va, executions);
		guess = n_side ? traces_find_guess(translator, insns[i].va) : NULL;
		if (guess && n_side > executions / GUESS_MOSTLY)
			guess->is_bad = true;
		executions -= n_side;
		heat(&translator->heats, insns[i + 1].va, executions);
	}
	heat(&translator->branch_heats, insns[block->n_insns - 1].va, executions);
}

/* How often blocks were entered since counters were zeroed, and those that traces were not made for. */
static uint64_t count_entries(const struct translator *translator, const uint64_t *values, uint64_t *n_cold)
{
	uint64_t n_entries = 0;

	*n_cold = 0;
	for (size_t i = 0; i < translator->n_counters; i++) {
		if (translator->counters[i].kind != COUNTER_BLOCK || !values[i])
			continue;
		n_entries += values[i];
		if (!traces_is_hot(translator, translator->blocks[translator->counters[i].block].va))
			*n_cold += values[i];
	}
	return n_entries;
}

void traces_look_for_news(struct translator *translator, const struct task *task)
{
	uint64_t n_entries, n_cold, n_cold_lately;

	if (!translator->heats.n_used || is_seeded(translator) || ticks_count() - translator->news_tick < NEWS_TICKS)
		return;
	translator->news_tick = ticks_count();
	n_entries = count_entries(translator, area_word(task->area, AREA_COUNTERS), &n_cold);
	n_cold_lately = n_cold > translator->n_cold ? n_cold - translator->n_cold : 0;
	translator->does_news = n_cold_lately >= NEWS_MIN &&
				n_cold_lately * NEWS_SHARE >= n_entries - translator->n_entries;
	translator->n_entries = n_entries;
	translator->n_cold = n_cold;
}

bool traces_learn(struct translator *translator, const struct task *task)
{
	const uint64_t *values = area_word(task->area, AREA_COUNTERS);
	bool does_news = translator->does_news;
	unsigned n_ticks = count_time(translator);
	uint64_t n_cold, n_entries = count_entries(translator, values, &n_cold);

	translator->does_news = false;
	if (!is_seeded(translator) && (n_entries < COUNTED_MIN || translator->n_harvested + n_entries < LEARNED_MIN)) {
		translator->first_tick = n_ticks - translator->n_ticks_wanted + FIRST_TICKS;
		return false;
	}
	translator->first_tick = n_ticks;
	traces_sample(translator, task);
	va_map_deinit(&translator->heats);
	va_map_deinit(&translator->branch_heats);
	for (size_t i = 0; i < translator->n_counters; i++)
		if (translator->counters[i].kind == COUNTER_BLOCK)
			heat_block(translator, &translator->blocks[translator->counters[i].block], &values[i]);
	if (translator->wants_edges)
		pairs_guess(translator, values);
	if (!does_news)
		translator->n_ticks_wanted *= is_seeded(translator) ? SEEDED_LATER_FACTOR : LATER_FACTOR;
	translator->n_entries = translator->n_cold = translator->n_harvested = 0;
	translator->news_tick = ticks_count();
	translator->is_outdated = true;
	return true;
}

bool traces_hardly_take(const struct translator *translator, uint64_t behind_va, uint64_t target_va)
{
	uint32_t taken = heat_at(translator, target_va), not_taken = heat_at(translator, behind_va);

	return taken == not_taken ? target_va > behind_va : taken < not_taken;
}

bool traces_want_side(const struct translator *translator, uint64_t va)
{
	return !translator->heats.n_used || heat_at(translator, va) || is_seeded(translator);
}

static size_t count_times(const struct draft *draft, uint64_t va)
{
	size_t n_times = 0;

	for (size_t i = 0; i < draft->n_insns; i++)
		n_times += draft->insns[i].va == va;
	return n_times;
}

/* A trace takes in each instruction once, but as a whole a short loop several times. */
bool traces_may_take(const struct draft *draft, uint64_t va)
{
	size_t n_copies = count_times(draft, draft->va);

	if (va == draft->va)
		return n_copies < LOOP_COPIES_MAX && draft->n_insns + draft->n_insns / n_copies <= LOOP_INSNS_MAX;
	return count_times(draft, va) < n_copies;
}

/* Ends a trace that came back to va where it was there first, so that the loop becomes a trace of its own. */
static void cut_before_loop(struct draft *draft, uint64_t va)
{
	size_t begin = 0, depth = 0;

	while (draft->insns[begin].va != va)
		begin++;
	for (size_t i = begin; i < draft->n_insns; i++) {
		enum insn_flow flow = draft->insns[i].insn.flow;

		/* No loop, but a function that is called twice. */
		if (flow == FLOW_RETURN && depth-- == 0)
			return;
		depth += flow == FLOW_CALL || flow == FLOW_CALL_INDIRECT;
	}
	if (begin && !depth)
		draft->n_insns = begin;
}

/* Where the call returns to that the draft is still in at its end; 0: it is in none. */
static uint64_t return_of(const struct draft *draft)
{
	size_t depth = 0;

	for (size_t i = draft->n_insns - 1; i-- > 0;) {
		const struct block_insn *insn = &draft->insns[i];

		if (insn->insn.flow == FLOW_RETURN)
			depth++;
		else if ((insn->insn.flow == FLOW_CALL || insn->insn.flow == FLOW_CALL_INDIRECT) && depth-- == 0)
			return insn->va + insn->insn.length;
	}
	return 0;
}

/* Where a branch mostly leads; 0: it does not. Its arms may be reached in other ways, too: what lies behind it less often than its target. */
static uint64_t preferred_arm(const struct translator *translator, uint64_t va, uint64_t behind_va, uint64_t target_va)
{
	uint32_t taken = heat_at(translator, target_va), not_taken = heat_at(translator, behind_va);
	uint32_t executions = heat_in(&translator->branch_heats, va);

	if (is_seeded(translator))
		return traces_draw(translator, target_va ^ behind_va, 2) ? target_va : behind_va;
	if (not_taken <= executions)
		taken = executions - not_taken;
	else if (taken <= executions)
		not_taken = executions - taken;
	if (taken / HARDLY < not_taken && not_taken / HARDLY < taken)
		return 0;
	return taken > not_taken ? target_va : behind_va;
}

static uint64_t guessed_target(struct translator *translator, uint64_t va)
{
	const struct guess *guess = traces_find_guess(translator, va);

	if (!guess)
		return 0;
	return is_seeded(translator) || (!guess->is_bad && guess->n_same >= SAMPLES_MIN) ? guess->target_va : 0;
}

uint64_t traces_next(struct translator *translator, struct draft *draft)
{
	const struct block_insn *last = &draft->insns[draft->n_insns - 1];
	const struct insn_effects *effects = &draft->effects[draft->n_insns - 1];
	uint64_t behind_va = last->va + last->insn.length, next_va = behind_va + (uint64_t)last->insn.displacement;

	if ((!translator->heats.n_used && !is_seeded(translator)) || effects->copy != COPY_TRANSFER ||
	    draft->n_insns == BLOCK_INSNS_MAX || !draft->is_trace)
		return 0;
	switch (last->insn.flow) {
	case FLOW_JUMP:
	case FLOW_CALL:
		break;
	case FLOW_BRANCH:
		next_va = effects->condition < CONDITION_COUNTER
				  ? preferred_arm(translator, last->va, behind_va, next_va)
				  : 0;
		break;
	case FLOW_RETURN:
		next_va = return_of(draft);
		if (next_va)
			break;
		/* fallthrough */
	case FLOW_JUMP_INDIRECT:
	case FLOW_CALL_INDIRECT:
		next_va = guessed_target(translator, last->va);
		break;
	default:
		return 0;
	}
	if (!next_va || !traces_is_hot(translator, next_va))
		return 0;
	if (traces_may_take(draft, next_va))
		return next_va;
	cut_before_loop(draft, next_va);
	return 0;
}
