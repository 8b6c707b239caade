/* A toy CPU whose pipeline can be worked out by hand. */
#ifndef ITRACE_TESTS_UNIT_PIPELINE_FIXTURE_H
#define ITRACE_TESTS_UNIT_PIPELINE_FIXTURE_H

#include "model_fixture.h"

#include "costmodels/estimators/pipeline/pipeline.h"

#define PARAMETERS                                                                                                  \
	"[parameters]\n"                                                                                            \
	"pipeline_rules = toy.rules\nissue_width = 4\nop_cache_width = 6\nop_cache_window_bytes = 32\n"             \
	"op_cache_lines = 3\nop_cache_line_uops = 6\npredecode_bytes = 16\npredecode_width = 5\nlcp_cycles = 3\n"   \
	"decoders = 4\nload_latency = 5\nsimple_load_latency = 4\nvector_load_latency = 6\nwide_load_latency = 7\n" \
	"store_forward_latency = 4\nvector_store_forward_latency = 5\nfailed_forward_cycles = 15\nstack_sync = 1\n" \
	"load_ports = p23\nstore_address_ports = p237\nstore_address_indexed_ports = p23\nstore_data_ports = p4\n"  \
	"alu_ports = p0156\ndivider_ports = div\ntlb_miss_latency = 9\n"
#define ROWS                                                                                                     \
	"[forms]\n"                                                                                              \
	"ADD r64, r64 | 1 | 0.25 | 1 | p0156:1\nADD r64, imm8 | 1 | 0.25 | 1 | p0156:1\n"                        \
	"ADD r16, imm16 | 1 | 0.25 | 1 | p0156:1\nADD r64, m64 | 6 | 0.5 | 2 | p0156:1 p23:1 | load\n"           \
	"ADD m64, r64 | 7 | 1 | 4 | p0156:1 p237:1 p23:1 p4:1 | load store\nIMUL r64, r64 | 3 | 1 | 1 | p1:1\n"  \
	"MOV r64, r64 | 1 | 0.25 | 1 | p0156:1\nMOV r64, m64 | 5 | 0.5 | 1 | p23:1 | load\n"                     \
	"MOV r8, r8 | 1 | 0.25 | 1 | p0156:1\nMOV m8, r8 | 1 | 1 | 1 | p237:1 p4:1 | store\n"                    \
	"MOV m64, r64 | 1 | 1 | 1 | p237:1 p4:1 | store\nXOR r32, r32 (same) | 0 | 0.25 | 1 | -\n"               \
	"CMP r64, r64 | 1 | 0.25 | 1 | p0156:1\nJNZ rel8 | 1 | 0.5 | 1 | p06:1\nJS rel8 | 1 | 0.5 | 1 | p06:1\n" \
	"PUSH r64 | 2 | 1 | 2 | p237:1 p4:1 | store\nPOP r64 | 5 | 0.5 | 1 | p23:1 | load\n"                     \
	"ADC r64, r64 | 2 | 1 | 1 | p06:1 | - | - | 1>1:1 2>1:2 2>flags:2 flags>1:1\n"                           \
	"SHLX r64, r64, r64 | 4 | 1 | 1 | p06:1 | - | - | 2>1:1 3>1:4\n"                                         \
	"DIV r64 | 40 | 20 | 10 | p0156:10 div:20\nMOVSXD r64, m32 | 5 | 0.5 | 1 | p23:1 | load\n"
#define RULES                                                                                     \
	"itrace-pipeline-rules 1\n"                                                               \
	"XOR *, * (same) | * | zero | made up\nNOP | * | nop | made up\n"                         \
	"MOV r64, r64 | toy other | move | made up\nMOV r64, r64 | other | latency=9 | made up\n" \
	"CMP *, * | * | fuse_compare | made up\nADD *, * | * | fuse_compare | made up\n"

static struct model *model;
static struct pipeline *pipeline;

/* Loads the toy CPU with further parameters, one per line. */
static int load_toy(const char *more)
{
	struct error err = {0};
	char *text = xasprintf(HEADER PARAMETERS "%s" ROWS, more);

	model = load_text(text);
	write_file("toy.rules", RULES);
	pipeline = pipeline_create(model, &err);
	if (!pipeline)
		fail_msg("%s", err.text);
	free(text);
	return 0;
}

/* A teardown for tests that loaded the toy CPU. */
static int destroy_toy(void **state)
{
	(void)state;
	pipeline_destroy(pipeline);
	model_destroy(model);
	pipeline = NULL;
	model = NULL;
	return 0;
}

#endif
