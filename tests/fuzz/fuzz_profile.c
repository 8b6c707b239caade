/* Saved profiles: the input is taken for a file, and for the sections in one in plain numbers, as no fuzzer finds a checksum or
 * a coder's state. What loads goes through all reports and is saved again, both ways. */
#include "fuzz.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "costmodels/estimate_check.h"
#include "profile/format.h"
#include "report/report.h"

static struct model *models[3]; /* a table, and two that are simulated */
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

static void report(const struct profile *profile)
{
	static const enum report_format formats[] = {REPORT_TEXT, REPORT_JSON, REPORT_CSV};
	static const enum report_format call_formats[] = {REPORT_CALLGRIND, REPORT_FOLDED, REPORT_SPEEDSCOPE};
	struct error err = {0};

	for (uint32_t i = 0; i < profile->n_regions; i++)
		for (size_t k = 0; k < ARRAY_LENGTH(models); k++)
			if (!estimate_check(models[k], profile, i, &err))
				return;
	for (size_t i = 0; i < ARRAY_LENGTH(formats); i++) {
		size_t by = GROUP_BY_FUNCTION + profile->n_insns % (GROUP_BY_INLINED - GROUP_BY_FUNCTION + 1);
		struct report_options options = {.format = formats[i],
						 .by = (enum profile_group_by)by,
						 .per_thread = true,
						 .top = 3};

		report_write(nowhere, profile, (const struct model *const *)models, ARRAY_LENGTH(models), &options);
		options.view = REPORT_VIEW_TREE;
		report_write(nowhere, profile, (const struct model *const *)models, ARRAY_LENGTH(models), &options);
		options.view = REPORT_VIEW_CHARGES;
		report_write(nowhere, profile, (const struct model *const *)models, ARRAY_LENGTH(models), &options);
		options.view = REPORT_VIEW_MEMORY;
		report_write(nowhere, profile, (const struct model *const *)models, ARRAY_LENGTH(models), &options);
		options.view = REPORT_VIEW_TABLE;
		options.compare = true;
		report_write(nowhere, profile, (const struct model *const *)models, ARRAY_LENGTH(models), &options);
	}
	for (size_t i = 0; i < ARRAY_LENGTH(call_formats); i++)
		report_write(nowhere, profile, (const struct model *const *)models, 2,
			     &(struct report_options){.format = call_formats[i]});
}

static void save_again(const struct profile *profile, bool is_coded)
{
	struct byte_writer body = {0}, again = {0};
	struct profile loaded;
	const char *problem;
	bool is_good;

	format_encode(profile, is_coded, &body);
	profile_init(&loaded);
	is_good = format_decode(body.bytes, body.n_bytes, is_coded, &loaded, &problem);
	if (!is_good)
		fprintf(stderr, "saved again, it does not load: %s\n", problem);
	assert(is_good);
	format_encode(&loaded, is_coded, &again);
	assert(again.n_bytes == body.n_bytes && memcmp(again.bytes, body.bytes, body.n_bytes) == 0);
	profile_deinit(&loaded);
	free(body.bytes);
	free(again.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	struct profile profile;
	struct error err = {0};
	const char *problem;

	prepare();
	if (format_load_bytes(bytes, n_bytes, "input", &profile, &err)) {
		report(&profile);
		profile_deinit(&profile);
	}
	profile_init(&profile);
	if (format_decode(bytes, n_bytes, false, &profile, &problem)) {
		report(&profile);
		save_again(&profile, false);
		save_again(&profile, true);
	}
	profile_deinit(&profile);
	return 0;
}
