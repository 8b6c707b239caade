#include "engine/translate/traces/schedule.h"

#include "engine/translate/traces/exec_counts.h"
#include "engine/translate/traces/seed.h"
#include "target/ticks.h"

enum {
	FIRST_TICKS = 5,
	LATER_FACTOR = 4,
	/* A program that translates at least this many new instructions in a tick is starting up. Such a program has
	 * 4,000 to 10,000 of them, fewer on a busy machine; a program at work mostly has less than 100. */
	STARTING_INSNS = 500,
	POSTPONED_TICKS = 50,	 /* longest delay while the program starts up */
	PHASE_TICKS = 25,	 /* interval between two tests for another phase */
	PHASE_COLD_MIN = 100000, /* a phase begins if at least this many entries of fragments were cold, */
	PHASE_COLD_SHARE = 4,	 /* and at least one in this many of all entries */
	/* Entries of fragments, since traces were made and in the counters, below which nothing is learned: the
	 * program may sleep or wait for a processor. */
	LEARNED_MIN = 10000,
	COUNTED_MIN = 256,
	/* Traces need all code to be translated again, at some microseconds for each instruction, and save a part of a
	 * nanosecond for each entry. */
	LEARNED_PER_INSN = 100,

	/* These are used with a seed. */
	FIRST_STOPS = 6,
	SEEDED_LATER_FACTOR = 2,
};

unsigned schedule_now(const struct translator *translator)
{
	return seed_is_set(translator) ? translator->traces.schedule.n_stops : ticks_count();
}

static bool is_starting(struct translator *translator, unsigned now)
{
	struct schedule *schedule = &translator->traces.schedule;
	uint64_t n_translated = translator->pages.n_translated;

	if (schedule->start_tick != now) {
		schedule->is_starting = n_translated - schedule->n_translated >= STARTING_INSNS;
		schedule->n_translated = n_translated;
		schedule->start_tick = now;
	}
	return schedule->is_starting && now - schedule->begin_tick < POSTPONED_TICKS;
}

bool schedule_is_due(struct translator *translator)
{
	struct schedule *schedule = &translator->traces.schedule;
	unsigned now = schedule_now(translator);

	if (!schedule->n_ticks_wanted) {
		schedule->n_ticks_wanted = seed_is_set(translator) ? FIRST_STOPS : FIRST_TICKS;
		schedule->begin_tick = now;
	}
	if (seed_is_set(translator))
		return now - schedule->begin_tick >= schedule->n_ticks_wanted;
	return translator->engine->plan->traces_seed != TRACES_NEVER && !is_starting(translator, now) &&
	       (schedule->phase_changed || now - schedule->begin_tick >= schedule->n_ticks_wanted);
}

/* Returns the entries of fragments in the counters, and in *n_cold those of fragments that are not hot. */
static uint64_t count_entries(const struct translator *translator, const struct task *task, uint64_t *n_cold)
{
	const uint64_t *values = area_word(task->area, AREA_COUNTERS);
	uint64_t n_entries = 0;

	*n_cold = 0;
	for (uint32_t i = 0; i < translator->fragments.n_counters; i++) {
		const struct counter *counter = translator_counter(translator, i);

		if (counter->kind != COUNTER_FRAGMENT || !values[i])
			continue;
		n_entries += values[i];
		if (!exec_counts_is_hot(translator, translator_fragment(translator, counter->fragment)->va))
			*n_cold += values[i];
	}
	return n_entries;
}

void schedule_detect_phase(struct translator *translator, const struct task *task)
{
	struct schedule *schedule = &translator->traces.schedule;
	uint64_t n_entries, n_cold, n_cold_lately;

	if (!translator->traces.exec_counts.n_used || seed_is_set(translator) ||
	    ticks_count() - schedule->phase_tick < PHASE_TICKS)
		return;
	schedule->phase_tick = ticks_count();
	n_entries = count_entries(translator, task, &n_cold);
	n_cold_lately = n_cold > schedule->n_cold ? n_cold - schedule->n_cold : 0;
	schedule->phase_changed = n_cold_lately >= PHASE_COLD_MIN &&
				  n_cold_lately * PHASE_COLD_SHARE >= n_entries - schedule->n_entries;
	schedule->n_entries = n_entries;
	schedule->n_cold = n_cold;
}

bool schedule_begin(struct translator *translator, const struct task *task)
{
	struct schedule *schedule = &translator->traces.schedule;
	bool is_seeded = seed_is_set(translator), phase_changed = schedule->phase_changed;
	unsigned now = schedule_now(translator);
	uint64_t n_cold, n_entries = count_entries(translator, task, &n_cold);
	uint64_t n_wanted = LEARNED_MIN + LEARNED_PER_INSN * translator->fragments.n_insns;

	schedule->phase_changed = false;
	if (!is_seeded && (n_entries < COUNTED_MIN || schedule->n_collected + n_entries < n_wanted)) {
		schedule->begin_tick = now - schedule->n_ticks_wanted + FIRST_TICKS;
		return false;
	}
	schedule->begin_tick = now;
	if (!phase_changed)
		schedule->n_ticks_wanted *= is_seeded ? SEEDED_LATER_FACTOR : LATER_FACTOR;
	schedule->n_entries = schedule->n_cold = schedule->n_collected = 0;
	schedule->phase_tick = ticks_count();
	return true;
}
