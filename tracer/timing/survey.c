#include "timing/survey.h"

#include <stdlib.h>

#include "base/array.h"
#include "timing/child.h"

enum {
	STEADY_PERMILLE = 20,
	N_REPEATS = 2,
	SECONDS_PER_FORM = 5, /* even a gather on a busy machine takes less than one */
};

/* What a child measures. */
struct job {
	struct instruction_timer *timer;
	const char *form_text;
	struct instruction_timing *timing;
};

bool survey_init(struct survey *survey, const char *const *forms, size_t n_forms, struct error *err)
{
	/* One more, for repeated measurements */
	void *timings = child_allocate_shared((n_forms + 1) * sizeof(*survey->timings), err);

	if (!timings)
		return false;
	*survey = (struct survey){.forms = forms, .n_forms = n_forms, .timings = timings};
	return true;
}

void survey_deinit(struct survey *survey)
{
	child_free_shared(survey->timings, (survey->n_forms + 1) * sizeof(*survey->timings));
}

static void do_job(void *argument)
{
	struct job *job = argument;

	instruction_measure(job->timer, job->form_text, job->timing);
}

/* An instruction may fault with some values of its operands only: a division. Each pair that kills the child is left
 * out. */
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

/* Takes the figures with the smaller spread. */
static void keep_better(struct instruction_timing *timing, const struct instruction_timing *repeated)
{
	if (!repeated->has_throughput)
		return;
	if (!timing->has_throughput || repeated->n_latencies > timing->n_latencies) {
		*timing = *repeated;
		return;
	}
	if (repeated->throughput_spread_permille < timing->throughput_spread_permille) {
		timing->throughput_mcyc = repeated->throughput_mcyc;
		timing->throughput_spread_permille = repeated->throughput_spread_permille;
	}
	if (repeated->n_latencies < timing->n_latencies)
		return;
	for (size_t i = 0; i < timing->n_latencies; i++)
		if (repeated->latencies[i].spread_permille < timing->latencies[i].spread_permille)
			timing->latencies[i] = repeated->latencies[i];
}

static bool repeat(struct survey *survey, struct instruction_timer *timer, size_t form, struct error *err)
{
	struct instruction_timing *repeated = &survey->timings[survey->n_forms];
	struct job job = {timer, survey->forms[form], repeated};

	*repeated = (struct instruction_timing){0};
	if (!run_job(&job, err))
		return false;
	keep_better(&survey->timings[form], repeated);
	return true;
}

static size_t count_unsteady(const struct survey *survey)
{
	size_t n = 0;

	for (size_t i = 0; i < survey->n_forms; i++)
		n += survey->timings[i].has_throughput && !survey_is_steady(&survey->timings[i]);
	return n;
}

bool survey_run(struct survey *survey, struct instruction_timer *timer, survey_progress *progress, void *context,
		struct error *err)
{
	for (; survey->n_done < survey->n_forms; survey->n_done++) {
		struct job job = {timer, survey->forms[survey->n_done], &survey->timings[survey->n_done]};

		if (!progress(context, survey->n_done, survey->n_forms))
			return true;
		if (!run_job(&job, err))
			return false;
	}
	for (int i = 0; i < N_REPEATS; i++) {
		size_t n_left = count_unsteady(survey);

		for (size_t form = 0; form < survey->n_forms; form++) {
			if (!survey->timings[form].has_throughput || survey_is_steady(&survey->timings[form]))
				continue;
			if (!progress(context, survey->n_forms, survey->n_forms + n_left--))
				return true;
			if (!repeat(survey, timer, form, err))
				return false;
		}
	}
	return true;
}
