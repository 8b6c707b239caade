/* A profile made by hand and models of a few rows, for the tests of report/. */
#ifndef ITRACE_TESTS_UNIT_REPORT_FIXTURE_H
#define ITRACE_TESTS_UNIT_REPORT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/array.h"
#include "costmodels/model/model.h"
#include "profile/profile.h"
#include "report/report.h"

/* 4 GHz, out of order. SHL has only a figure for an immediate of another width; PXOR has none. */
#define FAST_COST                    \
	"itrace-cost-model 1\n"      \
	"name = fast\n"              \
	"title = A fast CPU\n"       \
	"clock_mhz = 4000\n"         \
	"rank = throughput\n"        \
	"source = made up\n"         \
	"[forms]\n"                  \
	"MOVZX r32, m8 | 5 | 0.5\n"  \
	"JNZ rel8 | 1 | 1\n"         \
	"ADD r64, r64 | 1 | 0.25\n"  \
	"SHL r64, imm32 | 1 | 0.5\n" \
	"REP STOSB m8 | 40 | 30\n"   \
	"DIV r64 | 35 | 21.333\n"

/* 100 MHz, in order; has all forms except PXOR and REP STOSB. */
#define SLOW_COST                 \
	"itrace-cost-model 1\n"   \
	"name = slow\n"           \
	"title = A slow CPU\n"    \
	"clock_mhz = 100\n"       \
	"rank = latency\n"        \
	"source = made up\n"      \
	"[forms]\n"               \
	"MOVZX r32, m8 | 6 | 6\n" \
	"JNZ rel8 | 3 | 3\n"      \
	"ADD r64, r64 | 2 | 2\n"  \
	"SHL r64, imm8 | 4 | 4\n" \
	"DIV r64 | 80 | 80\n"

/* No clock; ranks by latency; has all forms. */
#define CAREFUL_COST                              \
	"itrace-cost-model 1\n"                   \
	"name = careful\n"                        \
	"title = A CPU with forwarding in mind\n" \
	"rank = latency\n"                        \
	"source = made up\n"                      \
	"[forms]\n"                               \
	"MOVZX r32, m8 | 4 | 0.333\n"             \
	"JNZ rel8 | 1 | 0.5\n"                    \
	"ADD r64, r64 | 1 | 0.25\n"               \
	"SHL r64, imm8 | 1 | 0.5\n"               \
	"REP STOSB m8 | 20 | 20\n"                \
	"PXOR xmm, xmm | 1 | 0.25\n"              \
	"DIV r64 | 18 | 10\n"

#define NOTED_COST                                   \
	"itrace-cost-model 1\n"                      \
	"name = noted\n"                             \
	"title = A CPU without figures of its own\n" \
	"rank = latency\n"                           \
	"source = made up\n"                         \
	"note = the figures of another\n"            \
	"[forms]\n"                                  \
	"ADD r64, r64 | 1 | 1\n"

/* Another machine's opcodes, and its sequences. */
#define OLD_COST                   \
	"itrace-cost-model 1\n"    \
	"name = old\n"             \
	"title = An old machine\n" \
	"cycle_ns = 45\n"          \
	"rank = latency\n"         \
	"source = made up\n"       \
	"map = old.map\n"          \
	"[opcodes]\n"              \
	"0xc0 | ADDL2 | 2\n"       \
	"0xd8 | ADWC | 3\n"        \
	"0x9a | MOVZBL | 4\n"      \
	"0x12 | BNEQ | 3\n"        \
	"0x2c | MOVC5 | 69\n"      \
	"0x79 | ASHQ | 5\n"
#define OLD_MAP                                        \
	"itrace-opcode-map 1\n"                        \
	"ADD r64, r64 | ADDL2 + ADWC | | two halves\n" \
	"MOVZX r32, m8 | MOVZBL | | the same\n"        \
	"JNZ * | BNEQ | | the same\n"                  \
	"REP STOSB m8 | MOVC5 | | a fill\n"            \
	"SHL r64, * | ~ ASHQ | | nearly the same\n"

static inline void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* A Pentium with two rows. */
#define PAIRING_COST                    \
	"itrace-cost-model 1\n"         \
	"name = pairs\n"                \
	"title = Two pipes\n"           \
	"rank = latency\n"              \
	"estimator = pairing\n"         \
	"source = made up\n"            \
	"[forms]\n"                     \
	"ADD r32, r32 | 1 | | | | UV\n" \
	"JNZ rel8 | 1 | | | | PV\n"

/* Loads a model from its text and, unless map_text is NULL, the text of "old.map". */
static inline struct model *make_model(const char *text, const char *map_text)
{
	char folder[] = "/tmp/itrace-test-XXXXXX";
	char *path, *map_path;
	struct error err = {0};
	struct model *model;

	assert_non_null(mkdtemp(folder));
	path = xasprintf("%s/model.cost", folder);
	map_path = xasprintf("%s/old.map", folder);
	write_file(path, text);
	if (map_text)
		write_file(map_path, map_text);
	model = model_load(path, &err);
	assert_string_equal(err.text, "");
	assert_non_null(model);
	unlink(path);
	unlink(map_path);
	rmdir(folder);
	free(path);
	free(map_path);
	return model;
}

/* `to` must be zeroed. */
static inline void copy_text(char *to, size_t to_bytes, const char *from, size_t n_bytes)
{
	assert_true(n_bytes < to_bytes);
	memcpy(to, from, n_bytes);
}

/* Adds a new instruction with a form of this text. */
static inline uint32_t make_insn(struct profile *profile, const char *form_text, const char *category,
				 const char *isa_extension, uint32_t function)
{
	struct profile_insn *insn;
	size_t form = 0;

	while (form < profile->n_forms && strcmp(profile->forms[form].form.text, form_text) != 0)
		form++;
	if (form == profile->n_forms) {
		struct form *made = &ARRAY_ADD(profile, forms)->form;
		const char *mnemonic = strncmp(form_text, "REP ", 4) == 0 ? form_text + 4 : form_text;

		copy_text(made->text, sizeof(made->text), form_text, strlen(form_text));
		copy_text(made->mnemonic, sizeof(made->mnemonic), mnemonic, strcspn(mnemonic, " "));
		copy_text(made->category, sizeof(made->category), category, strlen(category));
		copy_text(made->isa_extension, sizeof(made->isa_extension), isa_extension, strlen(isa_extension));
	}
	insn = ARRAY_ADD(profile, insns);
	insn->va = 0x401000 + 4 * (uint64_t)profile->n_insns;
	insn->form = (uint32_t)form;
	insn->module = PROFILE_NONE;
	insn->function = function;
	return (uint32_t)profile->n_insns - 1;
}

static inline uint32_t make_region(struct profile *profile, const char *name, uint32_t handlers_of)
{
	uint32_t region = profile_intern_region(profile, name, handlers_of);

	profile->regions[region].visits = 1;
	profile->regions[region].n_markers = 1;
	return region;
}

static inline uint32_t make_unreached_region(struct profile *profile, const char *name)
{
	uint32_t region = make_region(profile, name, PROFILE_NONE);

	profile->regions[region].visits = 0;
	return region;
}

/* A run whose only region executed all of these: 1,000 ADD and 400 MOVZX in two functions, 300 JNZ, 100 SHL, 50 PXOR,
 * 2 REP STOSB of 600 iterations and no DIV; one write and two reads. */
static inline void make_profile(struct profile *profile)
{
	uint32_t compress, copy, region, module;

	profile_init(profile);
	ARRAY_ADD(profile, modules)->path = xstrdup("/usr/lib/libz.so.1");
	module = 0;
	compress = profile_intern_function(profile, "compress", module);
	copy = profile_intern_function(profile, "copy", module);
	region = make_region(profile, "deflate", PROFILE_NONE);
	profile->argv = xcalloc(2, sizeof(*profile->argv));
	profile->argv[0] = xstrdup("./compress");
	profile->engine = xstrdup("step");
	profile->exited = true;

	profile_count(profile, region, make_insn(profile, "ADD r64, r64", "binary", "base", compress), 900, 0);
	profile_count(profile, region, make_insn(profile, "MOVZX r32, m8", "datatransfer", "base", compress), 400, 0);
	profile_count(profile, region, make_insn(profile, "JNZ rel8", "condbranch", "base", compress), 300, 0);
	profile_count(profile, region, make_insn(profile, "SHL r64, imm8", "shift", "base", compress), 100, 0);
	profile_count(profile, region, make_insn(profile, "ADD r64, r64", "binary", "base", copy), 100, 0);
	profile_count(profile, region, make_insn(profile, "PXOR xmm, xmm", "logical", "sse2", copy), 50, 0);
	profile_count(profile, region, make_insn(profile, "REP STOSB m8", "string", "base", PROFILE_NONE), 2, 600);
	make_insn(profile, "DIV r64", "binary", "base", copy);
	profile_count_syscall(profile, region, 1, false, 1);
	profile_count_syscall(profile, region, 0, false, 1);
	profile_count_syscall(profile, region, 0, false, 1);
}

static inline uint32_t place_at(struct profile *profile, uint32_t insn, const char *path, uint32_t line,
				uint32_t column, uint32_t inlined)
{
	struct profile_location location = {.file = profile_intern_file(profile, path),
					    .line = line,
					    .column = column,
					    .inlined = inlined};

	return profile->insns[insn].location = profile_intern_location(profile, &location);
}

/* make_profile() with locations: ADD and MOVZX of compress on one line; SHL in hash, which is inlined there; the ADD
 * of copy in another file of that name. PXOR, in the library, and REP STOSB, in no module, have no location. */
static inline void make_located_profile(struct profile *profile)
{
	struct profile_inlined call = {.caller = PROFILE_NONE, .line = 12, .column = 7};

	make_profile(profile);
	call.function = profile_intern_function(profile, "hash", 0);
	call.file = profile_intern_file(profile, "/src/deflate.c");
	place_at(profile, 0, "/src/deflate.c", 10, 3, PROFILE_NONE);
	place_at(profile, 1, "/src/deflate.c", 10, 9, PROFILE_NONE);
	place_at(profile, 2, "/src/deflate.c", 12, 2, PROFILE_NONE);
	place_at(profile, 3, "/src/hash.h", 5, 1, profile_intern_inlined(profile, &call));
	place_at(profile, 4, "/other/hash.h", 5, 1, PROFILE_NONE);
	profile->insns[5].module = 0;
}

/* Returns the report as a string, which the caller frees. It is not inline, because gcc 12 then takes a result of
 * strstr() in the string for a pointer to the variable that held it (-Wdangling-pointer). */
static __attribute__((noinline, unused)) char *make_report(const struct profile *profile, struct model *const *models,
							   size_t n_models, const struct report_options *options)
{
	struct analysis_request request = report_request(options);
	struct run_analysis analysis;
	size_t n_bytes = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &n_bytes);

	assert_non_null(out);
	analysis_init(&analysis, profile, (const struct model *const *)models, n_models, &request);
	report_write(out, options, &analysis);
	analysis_deinit(&analysis);
	assert_int_equal(fclose(out), 0);
	return text;
}

/* Compares a text with the file NAME.txt in tests/golden/unit, or writes that file if ITRACE_UPDATE_GOLDEN is set. */
static __attribute__((noinline, unused)) void check_golden(const char *name, const char *text)
{
	char *path = xasprintf("%s/%s.txt", GOLDEN_DIR, name), expected[16384] = "";
	FILE *file;

	if (getenv("ITRACE_UPDATE_GOLDEN"))
		write_file(path, text);
	file = fopen(path, "r");
	if (!file)
		fail_msg("%s is missing: tests/golden/update writes it", path);
	assert_true(fread(expected, 1, sizeof(expected) - 1, file) < sizeof(expected) - 1);
	fclose(file);
	if (strcmp(text, expected) != 0)
		fail_msg("not as in %s (tests/golden/update writes it anew):\n%s", path, text);
	free(path);
}

/* Compares a report with tests/golden/unit/NAME.txt. */
static inline void check_golden_report(const char *name, const struct profile *profile, struct model *const *models,
				       size_t n_models, const struct report_options *options)
{
	char *text = make_report(profile, models, n_models, options);

	check_golden(name, text);
	free(text);
}

#endif
