/* Reads .cost files. The reader fails with a message, or the model costs any form. */
#include "fuzz.h"

#include <assert.h>
#include <stdlib.h>

#include "costmodels/model/model.h"
#include "costmodels/model/text_file.h"

static void check_refusal(const char *path, const struct error *err)
{
	struct text_problems problems = {0};

	assert(err->kind && err->text[0]);
	model_check(path, NULL, &problems);
	assert(problems.n_texts > 0);
	text_problems_deinit(&problems);
}

static void look_up(const struct model *model)
{
	static const char *const forms[] = {"ADD r64, m64", "VADDPS zmm{k}{z}, zmm, m32{1to16}", "REP STOSB m8",
					    "XOR r32, r32 (same)", ""};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct cost cost;

		model_lookup(model, forms[i], &cost);
		assert(cost.match == COST_UNKNOWN || (cost.via && cost.latency_mcyc >= 0 && cost.throughput_mcyc >= 0));
		model_time_ns(model, cost_total_mcyc(&cost, model_ranking_column(model), 1000, 1000));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = {0};
	struct fuzz_file file;
	struct model *model;

	setenv("ITRACE_MODEL_PATH", CORPUS_MODELS, 1); /* for `inherit`; does not contain the input's own name */
	fuzz_file_open(&file, data, size);
	model = model_load(file.path, &err);
	if (model)
		look_up(model);
	else
		check_refusal(file.path, &err);
	model_destroy(model);
	fuzz_file_close(&file);
	return 0;
}
