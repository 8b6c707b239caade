#include "profile_checks.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "costmodels/estimators/estimate.h"
#include "report/report.h"
#include "savefile/content.h"

static struct model *models[3]; /* one table and two simulated models */
static FILE *nowhere;

static void prepare(void)
{
	struct error err = {0};

	if (nowhere)
		return;
	models[0] = model_load(SOURCE_ROOT "/tests/golden/toy.cost", &err);
	models[1] = model_load(SOURCE_ROOT "/costmodels/data/pentium.cost", &err);
	models[2] = model_load(SOURCE_ROOT "/costmodels/data/skylake.cost", &err);
	nowhere = fopen("/dev/null", "w");
	assert(models[0] && models[1] && models[2] && nowhere);
}

/* All reports together are slow. A search makes one of STRIDE reports for each input. */
#ifndef STRIDE
#define STRIDE 1
#endif

void profile_check_reports(const struct profile *profile, size_t n_bytes)
{
	static const enum report_format formats[] = {REPORT_TEXT, REPORT_JSON, REPORT_CSV};
	static const struct report_options others[] = {
		{.format = REPORT_HTML},
		{.format = REPORT_TEXT, .annotate = true, .insns = true, .context = 1, .top = 3},
		{.format = REPORT_JSON, .annotate = true, .insns = true},
		{.format = REPORT_CALLGRIND},
		{.format = REPORT_FOLDED},
		{.format = REPORT_SPEEDSCOPE},
	};
	enum { TABLE, TREE, CHARGES, MEMORY, COMPARISON, N_VIEWS };
	const size_t n_plain = ARRAY_LENGTH(formats) * N_VIEWS;
	struct error err = {0};

	prepare();
	for (uint32_t i = 0; i < profile->n_regions; i++)
		for (size_t k = 0; k < ARRAY_LENGTH(models); k++)
			if (!estimate_check_overflow(models[k], profile, i, &err))
				return;
	for (size_t i = n_bytes % STRIDE; i < n_plain + ARRAY_LENGTH(others); i += STRIDE) {
		size_t by = GROUP_BY_FUNCTION + profile->n_insns % (GROUP_BY_INLINED - GROUP_BY_FUNCTION + 1);
		size_t view = i / ARRAY_LENGTH(formats);
		struct report_options options = {.by = (enum profile_group_by)by, .top = 3};
		struct analysis_request request;
		struct run_analysis analysis;

		options.format = formats[i % ARRAY_LENGTH(formats)];
		options.compare = view == COMPARISON;
		options.per_thread = view != TABLE;
		if (view >= TREE && view <= MEMORY)
			options.view = (enum report_view)view;
		if (i >= n_plain)
			options = others[i - n_plain];
		request = report_request(&options);
		analysis_init(&analysis, profile, (const struct model *const *)models, ARRAY_LENGTH(models), &request);
		report_write(nowhere, &options, &analysis);
		analysis_deinit(&analysis);
	}
}

static void save_again(const struct profile *profile)
{
	struct profile loaded;
	const char *problem;
	size_t n_bytes, n_again;
	uint8_t *content = content_write(profile, &n_bytes, &problem), *again;
	bool is_good;

	if (!content)
		fprintf(stderr, "it cannot be saved again: %s\n", problem);
	assert(content);
	profile_init(&loaded);
	is_good = content_read(content, n_bytes, &loaded, &problem);
	if (!is_good)
		fprintf(stderr, "saved again, it does not load: %s\n", problem);
	assert(is_good);
	again = content_write(&loaded, &n_again, &problem);
	assert(again && n_again == n_bytes && memcmp(again, content, n_bytes) == 0);
	profile_deinit(&loaded);
	free(content);
	free(again);
}

void profile_check_content(const uint8_t *bytes, size_t n_bytes)
{
	struct profile profile;
	const char *problem;

	profile_init(&profile);
	if (content_read(bytes, n_bytes, &profile, &problem)) {
		profile_check_reports(&profile, n_bytes);
		save_again(&profile);
	}
	profile_deinit(&profile);
}
