/* Reports of blocks on the toy CPU. */
#include "pipeline_fixture.h"

#include <sys/wait.h>

#include "hex.h"
#include "report/block.h"

static int set_up(void **state)
{
	(void)state;
	return load_toy("");
}

/* A block, and bytes that do not decode. */
static char *write_blocks(const char *hex, const char *const *disassembly, enum report_format format,
			  uint32_t iterations)
{
	struct pipeline_options options = {.mode = PIPELINE_LOOP, .timeline_iterations = iterations};
	struct block_estimate estimate = {.pipeline = pipeline};
	struct block_report report = {.code_hex = "90",
				      .name = "",
				      .mode = PIPELINE_LOOP,
				      .disassembly = disassembly,
				      .estimates = &estimate,
				      .n_estimates = 1};
	struct block_writer writer = {.format = format, .n_models = 1};
	struct error err = {0};
	uint8_t bytes[64];
	size_t n = hex_parse(hex, bytes, sizeof(bytes)), n_text;
	char *text;

	if (!pipeline_estimate(pipeline, bytes, n, &options, &estimate.result, &err))
		fail_msg("%s", err.text);
	writer.out = open_memstream(&text, &n_text);
	report_block_begin(&writer);
	report_block_write(&writer, &report);
	estimate.failed = true;
	estimate.problem = "no instruction";
	report_block_write(&writer, &report);
	report_block_end(&writer);
	fclose(writer.out);
	pipeline_result_deinit(&estimate.result);
	return text;
}

/* The load is issued in cycle 0, starts in 1 and has its value in 6. The addition waits for it and for the previous
 * addition: cycles 6 and 7. Each instruction retires after its result. The second iteration is delivered one cycle
 * after the first, after its jump. */
static void draws_a_timeline(void **state)
{
	static const char *const disassembly[] = {"mov rax, [rdi]", "add rbx, rax", "nop"};
	char *text = write_blocks("48 8b 07 48 01 c3 90", disassembly, REPORT_TEXT, 2), *at = strstr(text, "timeline");

	(void)state;
	assert_non_null(at);
	assert_string_equal(strndupa(at, (size_t)(strstr(at, "\nuops:") - at)),
			    "timeline of the first iterations: D issued, = waits, e executes, - waits to retire, R "
			    "retires, > later\n"
			    "\n"
			    "               0\n"
			    "               0123456789\n"
			    "   0 load      Deeeee-R    mov rax, [rdi]\n"
			    "   0 operation D=====e-R   add rbx, rax\n"
			    "   0           D-------R   nop\n"
			    "   1 load       Deeeee-R   mov rax, [rdi]\n"
			    "   1 operation  D=====e-R  add rbx, rax\n"
			    "   1            D-------R  nop\n");
	free(text);
}

/* 68 cycles at most: cut with >. */
static void cuts_what_is_long(void **state)
{
	static const char *const disassembly[] = {
		"div rcx, and a text that is much too long to fit beside as many cycles"};
	char *text = write_blocks("48 f7 f1", disassembly, REPORT_TEXT, 3), *at = strstr(text, "timeline");
	size_t n_lines = 0;

	(void)state;
	assert_non_null(at);
	for (char *line = strtok(at, "\n"); line; line = strtok(NULL, "\n"), n_lines++)
		assert_in_range(strlen(line), 1, 120);
	assert_in_range(n_lines, 5, 20);
	free(text);
}

static void check_text(const char *hex, const char *headline)
{
	static const char *const disassembly[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
	char *text = write_blocks(hex, disassembly, REPORT_TEXT, 0);

	if (!strstr(text, headline))
		fail_msg("no '%s' in\n%s", headline, text);
	free(text);
}

/* All bounds that the estimate reaches are named; one below it is not. */
static void names_all_that_binds(void **state)
{
	(void)state;
	/* Four additions to four registers, four ALUs, four slots. */
	check_text("48 01 c0 48 01 db 48 01 c9 48 01 d2",
		   "1.00 cycles per iteration, bound by op-cache, issue, ports and latency; 4 instructions, 4 uops\n");
	check_text("48 0f af c3", "3.00 cycles per iteration, bound by latency; 1 instruction, 1 uop\n");
	check_text("90 90 90 90 90 90 90 90", "2.00 cycles per iteration, bound by op-cache and issue; 8 instructions");
}

static int check_schema(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	char *changed, *command;
	int status;

	assert_non_null(at);
	changed = xasprintf("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	write_file("block.json", changed);
	command = xasprintf("'%s' --block %s/block.json >/dev/null", CHECK_JSON_SCHEMA, folder);
	status = system(command);
	free(command);
	free(changed);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void json_keeps_to_the_schema(void **state)
{
	static const char *const disassembly[] = {"add [rdi], rax", "cpuid"};
	char *text;

	(void)state;
	if (system("python3 -c 'import jsonschema' 2>/dev/null") != 0)
		skip();
	text = write_blocks("48 01 07 0f a2", disassembly, REPORT_JSON, 2);
	assert_int_equal(check_schema(text, "", ""), 0);
	assert_int_equal(check_schema(text, "\"simulated_cycles\"", "\"cycles\""), 1);
	assert_int_equal(check_schema(text, "\"bottleneck\": \"latency\"", "\"bottleneck\": \"\""), 1);
	assert_int_equal(check_schema(text, "\"part\": \"store\"", "\"part\": \"stores\""), 1);
	assert_int_equal(check_schema(text, "\"error\"", "\"problem\""), 1);
	free(text);
	text = write_blocks("90", disassembly, REPORT_JSON, 0);
	assert_null(strstr(text, "timeline"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(draws_a_timeline, set_up, destroy_toy),
		cmocka_unit_test_setup_teardown(cuts_what_is_long, set_up, destroy_toy),
		cmocka_unit_test_setup_teardown(names_all_that_binds, set_up, destroy_toy),
		cmocka_unit_test_setup_teardown(json_keeps_to_the_schema, set_up, destroy_toy),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
