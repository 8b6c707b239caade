#include "timing/survey.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/order.h"
#include "timing/child.h"
#include "timing/repeated.h"
#include "timing/stacked.h"

enum {
	STEADY_PERMILLE = 20,
	MAX_ROUNDS = 10,
	SECONDS_PER_FORM = 5, /* even a gather on a busy machine takes less than one */
};

/* The work of one child. */
struct job {
	struct instruction_timer *timer;
	const char *form_text;
	struct instruction_timing *timing;
};

bool survey_init(struct survey *survey, const char *const *forms, size_t n_forms, struct survey_rounds rounds,
		 struct error *err)
{
	void *measured = child_allocate_shared(rounds.most * n_forms * sizeof(*survey->measured), err);

	if (!measured)
		return false;
	*survey = (struct survey){.forms = forms, .n_forms = n_forms, .rounds = rounds, .measured = measured};
	survey->timings = xcalloc(n_forms, sizeof(*survey->timings));
	return true;
}

void survey_deinit(struct survey *survey)
{
	child_free_shared(survey->measured, survey->rounds.most * survey->n_forms * sizeof(*survey->measured));
	free(survey->timings);
}

static void do_job(void *argument)
{
	struct job *job = argument;

	if (repeated_is_form(job->form_text))
		repeated_measure(job->timer, job->form_text, job->timing);
	else if (stacked_is_form(job->form_text))
		stacked_measure(job->timer, job->form_text, job->timing);
	else
		instruction_measure(job->timer, job->form_text, job->timing);
}

/* An instruction may fault only with some values of its operands, as a division does. Each pair that kills the child is
 * left out. */
static bool run_job(struct job *job, struct error *err)
{
	size_t n_tried;
	enum child_end end;

	do {
		n_tried = job->timing->n_tried;
		if (!child_run(do_job, job, SECONDS_PER_FORM, &end, err))
			return false;
	} while (end != CHILD_FINISHED && job->timing->n_tried > n_tried);
	return true;
}

bool survey_is_steady(const struct instruction_timing *timing)
{
	if (!timing->has_throughput)
		return !timing->is_encoded;
	for (size_t i = 0; i < timing->n_latencies; i++)
		if (timing->latencies[i].spread_permille > STEADY_PERMILLE)
			return false;
	return timing->throughput_spread_permille <= STEADY_PERMILLE;
}

/* A figure of one round. */
struct figure {
	int64_t mcyc;
	uint32_t spread_permille;
};

static int compare_figures(const void *a, const void *b)
{
	const struct figure *first = a, *second = b;

	return ORDER(first->mcyc, second->mcyc);
}

/* Returns the smallest figure that another one agrees with; else the middle one, with a spread above STEADY_PERMILLE. A
 * figure of a single round is returned as it is. */
static struct figure settle(struct figure *figures, size_t n_figures)
{
	struct figure middle;

	qsort(figures, n_figures, sizeof(figures[0]), compare_figures);
	for (size_t i = 0; i + 1 < n_figures; i++)
		if ((figures[i + 1].mcyc - figures[i].mcyc) * 1000 <= figures[i].mcyc * STEADY_PERMILLE)
			return figures[i].spread_permille < figures[i + 1].spread_permille ? figures[i]
											   : figures[i + 1];
	middle = figures[n_figures / 2];
	if (n_figures > 1 && middle.spread_permille <= STEADY_PERMILLE)
		middle.spread_permille = STEADY_PERMILLE + 1;
	return middle;
}

/* Collects one latency from all rounds. Returns their number. */
static size_t collect(const struct survey *survey, size_t form, const struct instruction_latency *wanted,
		      struct figure figures[MAX_ROUNDS])
{
	size_t n_figures = 0;

	for (size_t round = 0; round < survey->rounds.most; round++) {
		const struct instruction_timing *timing = &survey->measured[round * survey->n_forms + form];

		for (size_t i = 0; i < timing->n_latencies; i++)
			if (strcmp(timing->latencies[i].from, wanted->from) == 0 &&
			    strcmp(timing->latencies[i].to, wanted->to) == 0)
				figures[n_figures++] = (struct figure){timing->latencies[i].mcyc,
								       timing->latencies[i].spread_permille};
	}
	return n_figures;
}

/* Combines the rounds of a form. The latencies are those of the round that measured most of them. */
static void settle_form(struct survey *survey, size_t form)
{
	struct instruction_timing *out = &survey->timings[form];
	struct figure figures[MAX_ROUNDS], iterations[MAX_ROUNDS], settled;
	size_t n_figures = 0;

	for (size_t round = 0; round < survey->rounds.most; round++) {
		const struct instruction_timing *timing = &survey->measured[round * survey->n_forms + form];

		if (timing->is_encoded && (!out->has_throughput || timing->n_latencies > out->n_latencies))
			*out = *timing;
		if (!timing->has_throughput)
			continue;
		iterations[n_figures] = (struct figure){timing->iteration_mcyc, timing->throughput_spread_permille};
		figures[n_figures++] = (struct figure){timing->throughput_mcyc, timing->throughput_spread_permille};
	}
	if (!n_figures)
		return;
	settled = settle(figures, n_figures);
	out->has_throughput = true;
	out->throughput_mcyc = settled.mcyc;
	out->throughput_spread_permille = settled.spread_permille;
	out->iteration_mcyc = settle(iterations, n_figures).mcyc;
	for (size_t i = 0; i < out->n_latencies; i++) {
		settled = settle(figures, collect(survey, form, &out->latencies[i], figures));
		out->latencies[i].mcyc = settled.mcyc;
		out->latencies[i].spread_permille = settled.spread_permille;
	}
}

/* A form that cannot be timed in the first round cannot be timed later. */
static bool is_worth_while(const struct survey *survey, size_t form, size_t round)
{
	const struct instruction_timing *timing = &survey->timings[form];

	if (round == 0)
		return true;
	return timing->is_encoded && (round < survey->rounds.least || !survey_is_steady(timing));
}

bool survey_run(struct survey *survey, struct instruction_timer *timer, survey_progress *progress, void *context,
		struct error *err)
{
	size_t total = survey->rounds.least * survey->n_forms;

	assert(survey->rounds.most <= MAX_ROUNDS);
	for (size_t i = 0; i < survey->rounds.most * survey->n_forms; i++) {
		size_t form = i % survey->n_forms;
		struct job job = {timer, survey->forms[form], &survey->measured[i]};

		if (!progress(context, survey->n_done, survey->n_done < total ? total : survey->n_done + 1))
			return true;
		if (!is_worth_while(survey, form, i / survey->n_forms))
			continue;
		if (!run_job(&job, err))
			return false;
		settle_form(survey, form);
		survey->n_done++;
	}
	return true;
}
