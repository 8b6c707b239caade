/* The importer on a sample in the structure of uops.info's file, and on what is not that. */
#include "model_fixture.h"

#include "costmodels/uops_info.h"
#include "decode/insn.h"
#include "hex.h"

/* Imports SAMPLE or a file of the folder; the model's text, or NULL with *err set. */
static char *import(const char *path, const char *architecture, struct uops_info_counts *counts, struct error *err)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);
	bool ok = uops_info_import(path, architecture, "toy", out, counts, err);

	fclose(out);
	if (ok)
		return text;
	assert_int_equal(n, 0); /* nothing half-written */
	free(text);
	return NULL;
}

/* What the sample says, keyed by the bytes of such an instruction: the form must be the one that itrace gives them. */
static const struct {
	const char *bytes, *form;
	mcyc_t latency_mcyc, throughput_mcyc;
	unsigned uops, fused;
	const char *ports, *latencies; /* NULL: not stated */
} expectations[] = {
	{"48 01 d8", "ADD r64, r64", 1000, 250, 1, 1, "p0156:1", "1>1:1 1>flags:1 2>1:1 2>flags:1"},
	/* of the accumulator's encoding and the general one the latter */
	{"48 05 00 01 00 00", "ADD r64, imm32", 1000, 250, 1, 1, "p0156:1", "1>1:1"},
	{"48 03 03", "ADD r64, m64", 6000, 500, 2, 1, "p0156:1 p23:1", "1>1:1 1>flags:1 2>1:5 2a>1:6 2i>1:6"},
	{"48 89 03", "MOV m64, r64", 5000, 1000, 2, 1, "p237:1 p4:1", "1a>1:4 2>1:5"},
	{"31 d8", "XOR r32, r32", 1000, 250, 1, 1, "p0156:1", "1>1:1 2>1:1"},
	{"31 c0", "XOR r32, r32 (same)", 0, 250, 0, 1, NULL, "1>1:0 2>1:0"},
	{"d3 e0", "SHL r32, cl", 2000, 1500, 2, 2, "p06:2", "1>1:2 2>flags:2"},
	{"48 d1 e0", "SHL r64, 1", 1000, 500, 1, 1, "p06:1", "1>1:1"},
	{"0f b6 c7", "MOVZX r32, r8h", 2000, 250, 1, 1, "p0156:1", "2>1:2"},
	{"48 8d 44 8b 10", "LEA r64, [b+i*s+d]", 3000, 1000, 1, 1, "p1:1", "2a>1:3 2i>1:3"},
	{"48 8d 05 00 00 00 00", "LEA r64, [rip+d]", 1000, 1000, 1, 1, "p15:1", NULL},
	{"74 00", "JZ rel8", 500, 500, 1, 1, "p06:1", NULL},
	{"f0 0f c1 03", "LOCK XADD m32, r32", 18000, 18000, 9, 9, "p0156:4 p23:1 p237:1 p4:1", "1>2:18"},
	{"48 f7 e3", "MUL r64", 4000, 1000, 2, 2, "p1:1 p5:1", "1>rax:3 1>rdx:4 rax>flags:4"},
	{"aa", "STOSB m8", 1000, 1000, 3, 3, NULL, "rdi>rdi:1"},
	{"e8 00 00 00 00", "CALL rel32", 2000, 2000, 3, 2, NULL, NULL},
	{"d8 03", "FADD m32", 3000, 1000, 2, 1, "p23:1 p5:1", "st0>st0:3"},
	{"f2 0f 10 03", "MOVSD xmm, m64", 5000, 500, 1, 1, "p23:1", "2a>1:5"},
	{"c4 e2 6d 92 04 8b", "VGATHERDPS ymm, vm32y, ymm", 5100, 5100, 10, 4, "p0:1 p23:8 p5:1", NULL},
	{"62 f1 6c d9 58 03", "VADDPS zmm{k}{z}, zmm, m32{1to16}", 11000, 1000, 2, 1, "p05:1 p23:1",
	 "k>1:4 2>1:4 3a>1:11"},
	{"62 f1 6c 18 58 c3", "VADDPS zmm, zmm, zmm{er}", 4000, 1000, 1, 1, "p05:1", "2>1:4"},
	{"62 f1 6c 18 c2 c3 01", "VCMPPS k, zmm, zmm{sae}, imm8", 3000, 1000, 1, 1, "p5:1", "2>1:3"},
};

static void check_text(const char *form, const char *text, const char *expected)
{
	if (!text != !expected || (text && strcmp(text, expected) != 0))
		fail_msg("%s: '%s', not '%s'", form, text ? text : "-", expected ? expected : "-");
}

static void sample(void **state)
{
	struct uops_info_counts counts;
	struct error err = {0};
	char *text = import(SAMPLE, "SKL", &counts, &err);
	struct model *model;

	(void)state;
	if (!text)
		fail_msg("%s", err.text);
	model = load_text(text);
	assert_string_equal(model_title(model), "Intel Skylake, by uops.info");
	assert_int_equal(model_n_rows(model), ARRAY_LENGTH(expectations));
	assert_int_equal(counts.n_rows, ARRAY_LENGTH(expectations));
	assert_int_equal(counts.n_twice, 1);   /* ADD r64, imm32 */
	assert_int_equal(counts.n_no_form, 1); /* REP STOSB */
	for (size_t i = 0; i < ARRAY_LENGTH(expectations); i++) {
		uint8_t bytes[INSN_MAX_BYTES];
		struct form form;
		struct cost cost;

		form_of_bytes(bytes, hex_parse(expectations[i].bytes, bytes, sizeof(bytes)), &form);
		assert_string_equal(form.text, expectations[i].form);
		model_lookup(model, form.text, &cost);
		if (cost.match != COST_EXACT || cost.throughput_mcyc != expectations[i].throughput_mcyc ||
		    cost.latency_mcyc != expectations[i].latency_mcyc)
			fail_msg("%s: match %d, latency %d, throughput %d", form.text, (int)cost.match,
				 (int)cost.latency_mcyc, (int)cost.throughput_mcyc);
		assert_int_equal(cost.uops, expectations[i].uops);
		assert_int_equal(cost.fused, expectations[i].fused);
		check_text(form.text, cost.ports, expectations[i].ports);
		check_text(form.text, cost.latencies, expectations[i].latencies);
	}
	model_destroy(model);
	free(text);
}

static void other_architecture(void **state)
{
	struct uops_info_counts counts;
	struct error err = {0};
	char *text = import(SAMPLE, "ZEN2", &counts, &err);

	(void)state;
	assert_non_null(strstr(text, "\nADD r64, r64 | 1 | 0.3 | 1 |  |  |  | 1>1:1\n"));
	assert_int_equal(counts.n_rows, 1);
	free(text);
	assert_null(import(SAMPLE, "SLK", &counts, &err));
	assert_string_equal(err.text, SAMPLE " has no measurements of 'SLK'; it has: SKL, ZEN2");
	assert_int_equal(err.kind, ERROR_USAGE);
	assert_null(import(SAMPLE, "S\nL", &counts, &err));
	assert_int_equal(err.kind, ERROR_USAGE);
	assert_null(import("/nonexistent/i.xml", "SKL", &counts, &err));
	assert_int_equal(err.kind, ERROR_ENVIRONMENT);
}

static void refused(void **state)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{"", "i.xml:1: no element found: the file is not complete"},
		{"ELF", "i.xml:1: syntax error: this is no XML, or a damaged one"},
		{"<html>\n<body/></html>",
		 "i.xml:1: this is not uops.info's instructions.xml: its first element is <html>, not <root>"},
		{"<root>\n<a/>\n</root>", "i.xml:3: no <instruction>: this is not uops.info's instructions.xml"},
		{"<root>\n<instruction iclass='ADD'>\n<architecture/></instruction></root>",
		 "i.xml:3: an <architecture> without a name"},
		{"<root>\n<instruction>\n", "i.xml:3: no element found: the file is not complete"},
		{"<root>\n<instruction>\n</root>\n", "i.xml:3: mismatched tag: this is no XML, or a damaged one"},
		{"<root>\n<instruction>\n<\x01>\n",
		 "i.xml:3: not well-formed (invalid token): this is no XML, or a damaged one"},
	};
	char *path = xasprintf("%s/i.xml", folder);

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(bad); i++) {
		struct uops_info_counts counts;
		struct error err = {0};
		char *expected = xasprintf("%s/%s", folder, bad[i].message);

		write_file("i.xml", bad[i].text);
		assert_null(import(path, "SKL", &counts, &err));
		assert_string_equal(err.text, expected);
		assert_int_equal(err.kind, ERROR_FORMAT);
		free(expected);
	}
	free(path);
}

#define MEASURED(instruction, operands)                                                                \
	"<root><instruction iclass='ADD'/><instruction " instruction ">" operands "<architecture "     \
	"name='SKL'><measurement TP='1' uops='x' ports='1*p0+p1'><latency start_op='1' target_op='9' " \
	"cycles='1'/></measurement></architecture></instruction></root>"

/* Texts that must not get into a model as they are. */
static void odd_values(void **state)
{
	static const char *const odd[] = {
		MEASURED("iclass='ADD | 1 | 1'", ""),
		MEASURED("iclass='add'", ""),
		MEASURED("string='x'", ""),
		MEASURED("iclass='AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'", ""),
		MEASURED("iclass='ADD'", "<operand type='mem' width='8' memory-suffix='{1to#}'/>"),
		MEASURED("iclass='ADD'", "<operand type='what' width='8'/>"),
		MEASURED("iclass='LEA' string='LEA_X (R64)'", "<operand type='agen'/>"),
		MEASURED("iclass='VADDPS'", "<operand type='mem' VSIB='XMM'/>"),
	};
	char *path = xasprintf("%s/i.xml", folder);
	struct uops_info_counts counts;
	struct error err = {0};
	char *text;

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(odd); i++) {
		write_file("i.xml", odd[i]);
		assert_null(import(path, "SKL", &counts, &err));
		assert_non_null(strstr(err.text, "has no measurements of 'SKL'; it has: SKL"));
		assert_int_equal(counts.n_no_form, 1);
	}
	write_file("i.xml", MEASURED("iclass='ADD'", "<operand idx='1' type='reg' width='8'>#|\n</operand>"));
	text = import(path, "SKL", &counts, &err);
	assert_non_null(strstr(text, "\nADD r8 | 1 | 1 |  | p0:1 |  |  | \n"));
	free(text);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sample),
		cmocka_unit_test(other_architecture),
		cmocka_unit_test(refused),
		cmocka_unit_test(odd_values),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
