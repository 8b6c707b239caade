#include "report_fixture.h"

static void check_line(const struct profile *profile, uint32_t insn, const char *target, const char *expected)
{
	size_t n_bytes = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &n_bytes);

	assert_non_null(out);
	report_write_trace_line(out, profile, insn, target);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static uint32_t add_insn(struct profile *profile, uint64_t va, const char *bytes, uint8_t length, uint32_t function,
			 uint32_t function_offset)
{
	struct profile_insn *insn = ARRAY_ADD(profile, insns);

	*insn = (struct profile_insn){.va = va,
				      .module = PROFILE_NONE,
				      .function = function,
				      .function_offset = function_offset,
				      .length = length};
	memcpy(insn->bytes, bytes, length);
	return (uint32_t)profile->n_insns - 1;
}

static void columns_are_aligned(void **state)
{
	struct profile profile;
	uint32_t main_function, long_function;

	(void)state;
	profile_init(&profile);
	main_function = profile_intern_function(&profile, "main", PROFILE_NONE);
	long_function = profile_intern_function(&profile, "std::vector<int>::push_back(int&&)", PROFILE_NONE);
	check_line(&profile, add_insn(&profile, 0x401000, "\x90", 1, main_function, 0), NULL,
		   "0x0000000000401000  main                              90                    nop\n");
	check_line(&profile, add_insn(&profile, 0x7ffff7fc1234, "\x48\x01\xd8", 3, main_function, 0x1234), NULL,
		   "0x00007ffff7fc1234  main+0x1234                       4801d8                add rax, rbx\n");
	/* 0x401003 + 2 - 5 */
	check_line(&profile, add_insn(&profile, 0x401003, "\x75\xfb", 2, long_function, 3), "a\033",
		   "0x0000000000401003  std::vector<int>::push_back(int&&)+0x3  75fb                  "
		   "jnz 0x401000 <a\\x1B>\n");
	profile_deinit(&profile);
}

static void places_without_a_name(void **state)
{
	struct profile profile;
	struct profile_module *module;
	uint32_t insn;

	(void)state;
	profile_init(&profile);
	insn = add_insn(&profile, 0x5555000, "\x90", 1, PROFILE_NONE, 0);
	check_line(&profile, insn, NULL,
		   "0x0000000005555000  ?                                 90                    nop\n");
	module = ARRAY_ADD(&profile, modules);
	module->path = xstrdup("/opt/a/lib\033.so");
	module->bias = 0x5550000;
	profile.insns[insn].module = 0;
	check_line(&profile, insn, NULL,
		   "0x0000000005555000  lib\\x1B.so+0x5000                 90                    nop\n");
	profile_deinit(&profile);
}

static void bytes_that_are_no_instruction(void **state)
{
	struct profile profile;

	(void)state;
	profile_init(&profile);
	check_line(&profile, add_insn(&profile, 0x401000, "", 0, PROFILE_NONE, 0), NULL,
		   "0x0000000000401000  ?                                                       (undecodable)\n");
	profile_deinit(&profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_aligned),
		cmocka_unit_test(places_without_a_name),
		cmocka_unit_test(bytes_that_are_no_instruction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
