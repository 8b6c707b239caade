/* Encoding of forms: each form of a model decodes to itself. */
#include "decode/encode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"

/* Two sources that differ, two that are equal, and the high bytes, of which there are four. */
static const uint8_t register_choices[][INSN_MAX_FORM_OPERANDS] = {{0, 1, 2, 3, 4, 5},
								   {1, 0, 2, 3, 4, 5},
								   {2, 2, 2, 2, 2, 2},
								   {1, 2, 2, 2, 2, 2}};

static size_t encode_any(const char *form_text, uint8_t bytes[INSN_MAX_BYTES])
{
	size_t length = 0;

	for (size_t i = 0; i < ARRAY_LENGTH(register_choices) && !length; i++) {
		struct insn_choice choice = {.index = 7, .mask = 1, .immediate = 5};

		memcpy(choice.registers, register_choices[i], sizeof(choice.registers));
		length = insn_encode(form_text, &choice, bytes);
	}
	return length;
}

/* Calls `check` for each row's form in a model. Returns the number of rows. */
static size_t for_each_form(const char *model, void (*check)(const char *form_text, size_t *n), size_t *n)
{
	char path[512], line[4096];
	bool is_in_forms = false;
	size_t n_rows = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s.cost", MODELS_DIR, model);
	file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		char *end = strstr(line, " |");

		is_in_forms |= strcmp(line, "[forms]\n") == 0;
		if (!is_in_forms || !end || *line == '#' || strncmp(line, "LOCK *", 6) == 0)
			continue;
		*end = '\0';
		n_rows++;
		check(line, n);
	}
	fclose(file);
	return n_rows;
}

static void check_round_trip(const char *form_text, size_t *n_encoded)
{
	uint8_t bytes[INSN_MAX_BYTES];
	size_t length = encode_any(form_text, bytes);
	struct insn insn;
	struct form form;

	if (!length)
		return;
	form_of_bytes(bytes, length, &form);
	assert_string_equal(form.text, form_text);
	assert_true(insn_decode(bytes, length, &insn));
	assert_int_equal(insn.length, length);
	++*n_encoded;
}

static void test_models(void **state)
{
	static const char *const models[] = {"zen4", "skylake-avx512", "alderlake"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(models); i++) {
		size_t n_encoded = 0, n_rows = for_each_form(models[i], check_round_trip, &n_encoded);

		print_message("%s: %zu of %zu forms are encoded\n", models[i], n_encoded, n_rows);
		assert_true(n_encoded * 1000 >= n_rows * 999);
	}
}

static void test_registers(void **state)
{
	static const struct {
		const char *form_text;
		struct insn_choice choice;
		const char *disassembly;
	} cases[] = {
		{"ADD r64, r64", {.registers = {9, 3}}, "add r9, rbx"},
		{"ADD r64, imm8", {.registers = {9}, .immediate = 5}, "add r9, 0x5"},
		{"ADD r64, imm32", {.registers = {9}, .immediate = 5}, "add r9, 0x10000005"},
		{"MOV r8, r8", {.registers = {6, 12}}, "mov sil, r12b"},
		{"MOV r8h, r8h", {.registers = {1, 3}}, "mov ch, bh"},
		{"LOCK XADD m32, r32", {.registers = {6, 2}, .displacement = 64}, "lock xadd [rsi+0x40], edx"},
		{"VADDPS zmm{k}{z}, zmm, m32{1to16}",
		 {.registers = {1, 14, 6}, .mask = 3},
		 "vaddps zmm1 {k3} {z}, zmm14, [rsi] {1to16}"},
		{"VGATHERDPS ymm, vm32y, ymm",
		 {.registers = {1, 6, 2}, .index = 15},
		 "vgatherdps ymm1, dword ptr [rsi+ymm15*1], ymm2"},
		{"LEA r64, [b+i*s+d]", {.registers = {9, 6}, .index = 8}, "lea r9, [rsi+r8*4+0x40]"},
		{"SHL r32, cl", {.registers = {3}}, "shl ebx, cl"},
		{"REP MOVSB m8, m8", {.registers = {0}}, "rep movsb"},
		{"XOR r32, r32 (same)", {.registers = {3, 3}}, "xor ebx, ebx"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		uint8_t bytes[INSN_MAX_BYTES];
		size_t length = insn_encode(cases[i].form_text, &cases[i].choice, bytes);
		char text[256];

		if (!length)
			fail_msg("%s is not encoded", cases[i].form_text);
		insn_disassemble(bytes, length, 0, text, sizeof(text));
		assert_string_equal(text, cases[i].disassembly);
	}
}

static void test_impossible(void **state)
{
	static const struct {
		const char *form_text;
		struct insn_choice choice;
	} cases[] = {
		{"XOR r32, r32", {.registers = {3, 3}}},	       /* would be (same) */
		{"XOR r32, r32 (same)", {.registers = {3, 4}}},	       /* would not */
		{"MOV r8, r8h", {.registers = {9, 1}}},		       /* a high byte and REX exclude each other */
		{"SHL r32, imm8", {.registers = {1}, .immediate = 1}}, /* has a form of its own */
		{"ADD r64, r32", {.index = 0}},
		{"ADD r64", {.index = 0}},
		{"ADD", {.index = 0}},
		{"ADD ", {.index = 0}},
		{"", {.index = 0}},
		{"FROBNICATE r64", {.index = 0}},
		{"ADD r64, r64, r64, r64, r64, r64, r64", {.index = 0}},
		{"ADD r64, q64", {.index = 0}},
		{"ADD r64, imm99999999999999999999", {.index = 0}},
		{"ADD r64, m99999999999999999999", {.index = 0}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		uint8_t bytes[INSN_MAX_BYTES];

		if (insn_encode(cases[i].form_text, &cases[i].choice, bytes))
			fail_msg("%s is encoded", cases[i].form_text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_models),
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_impossible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
