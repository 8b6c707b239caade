/* Decodes an instruction's bytes and estimates a block. Valid bytes have a form, operands and a text that agree, and
 * a block has an estimate above zero. */
#include "fuzz.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "costmodels/estimators/pipeline/pipeline.h"
#include "decode/effects.h"
#include "decode/insn_address.h"
#include "decode/insn_operands.h"

#define BLOCK_BYTES_MAX 96

static struct pipeline *pipelines[2];

static void make_pipelines(void)
{
	static const char *const names[] = {"skylake", "zen5"};

	setenv("ITRACE_MODEL_PATH", SOURCE_ROOT "/costmodels/data", true);
	for (size_t i = 0; i < 2; i++) {
		struct error err = {0};
		struct model *model = model_load(names[i], &err);

		if (!model)
			fprintf(stderr, "%s\n", err.text);
		assert(model);
		pipelines[i] = pipeline_create(model, &err);
		assert(pipelines[i]);
	}
}

static void check_insn(const uint8_t *bytes, size_t n_bytes)
{
	struct insn_operands operands;
	struct insn_effects effects;
	struct insn insn, again;
	struct form form;
	char text[256];

	insn_disassemble(bytes, n_bytes, 0x400000, text, sizeof(text));
	assert(text[0] && strlen(text) < sizeof(text));
	if (!insn_decode(bytes, n_bytes, &insn)) {
		form_of_bytes(bytes, n_bytes, &form);
		assert(strcmp(form.text, "(undecodable)") == 0);
		return;
	}
	assert(insn.length > 0 && insn.length <= n_bytes && insn.length <= INSN_MAX_BYTES);
	form_of_bytes(bytes, insn.length, &form);
	assert(form.text[0] && form.mnemonic[0]);
	if (insn_decode_effects(bytes, insn.length, &again, &effects)) {
		assert(again.length == insn.length && again.flow == insn.flow);
		assert(effects.displacement_offset + 4 <= insn.length || !effects.displacement_offset);
	}
	if (insn_operands_decode(bytes, insn.length, &operands))
		assert(insn_count_address_entries(&operands) < 1000);
}

static void check_block(const uint8_t *bytes, size_t n_bytes, enum pipeline_mode mode)
{
	for (size_t i = 0; i < 2; i++) {
		struct pipeline_options options = {.mode = mode};
		struct pipeline_result result = {0};
		struct error err = {0};

		if (pipeline_estimate(pipelines[i], bytes, n_bytes, &options, &result, &err))
			assert(result.n_insns > 0 && result.cycles_mcyc > 0);
		else
			assert(err.kind && err.text[0]);
		pipeline_result_deinit(&result);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n_bytes = size < BLOCK_BYTES_MAX ? size : BLOCK_BYTES_MAX;

	if (!pipelines[0])
		make_pipelines();
	if (!n_bytes)
		return 0;
	check_insn(data, n_bytes < INSN_MAX_BYTES ? n_bytes : INSN_MAX_BYTES);
	check_block(data, n_bytes, size & 1 ? PIPELINE_LOOP : PIPELINE_UNROLLED);
	return 0;
}
