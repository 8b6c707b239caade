#include "report_fixture.h"

#include <sys/wait.h>
#include <unistd.h>

static const char *const deflate_lines[] = {"1", "2",	       "3",  "4",      "5",  "6",  "7", "8",
					    "9", "\tcall(x);", "11", "} \xff", "13", "14", "15"};

/* Texts for the files of make_located_profile: /src/deflate.c exists, /src/hash.h is too short, and the third file is
 * missing. */
static const struct source_text sources[] = {
	{.state = SOURCE_SAME, .lines = deflate_lines, .n_lines = ARRAY_LENGTH(deflate_lines)},
	{.state = SOURCE_CHANGED_SINCE_RUN, .lines = deflate_lines, .n_lines = 2},
	{.state = SOURCE_MISSING},
};

static char *annotate(struct report_options options, size_t n_models)
{
	struct model *models[] = {make_model(FAST_COST, NULL), make_model(OLD_COST, OLD_MAP)};
	struct profile profile;
	char *text;

	make_located_profile(&profile);
	options.annotate = true;
	text = make_report(&profile, models, n_models, &options);
	profile_deinit(&profile);
	model_destroy(models[0]);
	model_destroy(models[1]);
	return text;
}

static void assert_text(struct report_options options, const char *expected)
{
	char *text = annotate(options, 1);
	const char *end = strstr(text, "\ncycles on fast are computed");

	assert_non_null(end);
	text[end - text] = '\0';
	assert_string_equal(text, expected);
	free(text);
}

#define HEADLINE "deflate: 1 visit, 1,852 instructions (600 REP iterations), 3 system calls (read 2, write 1)\n\n"

/* Line 10: 900 x 0.25 and 400 x 0.5 cycles of 860; line 12: 300. They are closer than twice the context, so line 11
 * appears between them. The rest: 100 x 0.5 of hash.h, 100 x 0.25 of the third file, 60 of REP STOSB; PXOR has no
 * figure. */
static void the_most_expensive_lines_and_those_around(void **state)
{
	(void)state;
	assert_text((struct report_options){.sources = sources, .top = 2, .context = 1}, HEADLINE
		    "  count  instructions  cycles  share  line  source\n"
		    "\n"
		    "                1,600     725  84.3%        deflate.c, compress\n"
		    "                                         9  9\n"
		    "  1,300         1,300     425  49.4%    10          call(x);\n"
		    "                                        11  11\n"
		    "    300           300     300  34.9%    12  } \\xFF\n"
		    "                                        13  13\n"
		    "\n"
		    "                  252    >135  15.7%        4 more lines, and instructions without a line "
		    "(--top 0 for all)\n"
		    "                1,852    >860               total\n");
	assert_text((struct report_options){.sources = sources, .top = 1}, HEADLINE
		    "  count  instructions  cycles  share  line  source\n"
		    "\n"
		    "                1,300     425  49.4%        deflate.c, compress\n"
		    "  1,300         1,300     425  49.4%    10          call(x);\n"
		    "\n"
		    "                  552    >435  50.6%        5 more lines, and instructions without a line "
		    "(--top 0 for all)\n"
		    "                1,852    >860               total\n");
}

/* The bytes of this profile's instructions are unknown. */
static void what_has_no_text_is_shown_by_instruction(void **state)
{
	(void)state;
	assert_text((struct report_options){.sources = sources}, HEADLINE
		    "  count  instructions  cycles  share  line  source\n"
		    "\n"
		    "                1,300     425  49.4%        deflate.c, compress\n"
		    "  1,300         1,300     425  49.4%    10          call(x);\n"
		    "\n"
		    "                  300     300  34.9%        deflate.c, compress\n"
		    "    300           300     300  34.9%    12  } \\xFF\n"
		    "\n"
		    "                    2      60   7.0%        (no function)\n"
		    "      2             2      60   7.0%          40101c  (undecodable)\n"
		    "\n"
		    "                  100     ~50   5.8%        src/hash.h, hash\n"
		    "                                            (changed since the run: lines may not match)\n"
		    "    100           100     ~50   5.8%     5  hash\n"
		    "\n"
		    "                  100      25   2.9%        other/hash.h, copy\n"
		    "                                            (source file not found; "
		    "--source-path can name its folder)\n"
		    "    100           100      25   2.9%     5  copy\n"
		    "    100           100      25                   401014  (undecodable)\n"
		    "\n"
		    "                   50       ?      ?        copy [libz.so.1]\n"
		    "     50            50       ?      ?          401018  (undecodable)\n"
		    "\n"
		    "                1,852    >860               total\n");
}

static void instructions_stand_below_their_line(void **state)
{
	char *text = annotate((struct report_options){.sources = sources, .top = 1, .insns = true}, 2);

	(void)state;
	assert_non_null(strstr(text, "call(x);\n  "));
	assert_non_null(strstr(text, "401004  (undecodable)\n"));
	assert_non_null(strstr(text, "401008  (undecodable)\n"));
	free(text);
}

static int check_schema(const char *text, const char *from, const char *to)
{
	char path[] = "/tmp/itrace-test-XXXXXX", *command;
	const char *at = strstr(text, from);
	int fd = mkstemp(path), status;
	FILE *file = fdopen(fd, "w");

	assert_non_null(file);
	assert_non_null(at);
	fprintf(file, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	assert_int_equal(fclose(file), 0);
	command = xasprintf("'%s' --annotate %s >/dev/null", CHECK_JSON_SCHEMA, path);
	status = system(command);
	free(command);
	unlink(path);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void json_keeps_to_the_schema(void **state)
{
	struct report_options options = {.format = REPORT_JSON, .sources = sources};
	char *text;

	(void)state;
	if (system("python3 -c 'import jsonschema' 2>/dev/null") != 0)
		skip();
	text = annotate(options, 2);
	assert_int_equal(check_schema(text, "", ""), 0);
	assert_int_equal(check_schema(text, "\"without_lines\"", "\"without\""), 1);
	assert_int_equal(check_schema(text, "\"disassembly\"", "\"assembly\""), 1);
	assert_non_null(strstr(text, "\"text\": \"} \\\\xFF\""));
	assert_non_null(strstr(text, "\"changed_since_run\""));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_most_expensive_lines_and_those_around),
		cmocka_unit_test(what_has_no_text_is_shown_by_instruction),
		cmocka_unit_test(instructions_stand_below_their_line),
		cmocka_unit_test(json_keeps_to_the_schema),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
