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
	const char *end = strstr(text, "\ncycles are computed from models, not measured");

	assert_non_null(end);
	assert_int_equal(!!strstr(end, "with the lines around them"), options.context > 0);
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
	assert_text((struct report_options){.sources = sources, .top = 2, .context = 1},
		    HEADLINE "  count  instructions  cycles  share  line  source\n"
			     "\n"
			     "                1,600     725  84.3%        deflate.c, compress\n"
			     "                                         9  9\n"
			     "  1,300         1,300     425  49.4%    10          call(x);\n"
			     "                                        11  11\n"
			     "    300           300     300  34.9%    12  } \\xFF\n"
			     "                                        13  13\n"
			     "\n"
			     "                  252    >135  15.7%        4 more (--top 0 for all)\n"
			     "                1,852    >860               total\n");
	assert_text((struct report_options){.sources = sources, .top = 1},
		    HEADLINE "  count  instructions  cycles  share  line  source\n"
			     "\n"
			     "                1,300     425  49.4%        deflate.c, compress\n"
			     "  1,300         1,300     425  49.4%    10          call(x);\n"
			     "\n"
			     "                  552    >435  50.6%        5 more (--top 0 for all)\n"
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

/* The program has a line each in files of these paths; what libm.so has on top costs most. */
static char *annotate_files(const char *const *paths, size_t n_paths, struct report_options options)
{
	struct model *model = make_model(FAST_COST, NULL);
	struct profile profile;
	uint32_t region;
	char *text;

	profile_init(&profile);
	*ARRAY_ADD(&profile, modules) = (struct profile_module){.path = xstrdup("/home/me/prog"), .is_program = true};
	*ARRAY_ADD(&profile, modules) = (struct profile_module){.path = xstrdup("/usr/lib/libm.so")};
	region = make_region(&profile, "r", PROFILE_NONE);
	for (uint32_t i = 0; i <= n_paths; i++) {
		uint32_t insn = make_insn(&profile, "ADD r64, r64", "binary", "base", PROFILE_NONE);

		profile.insns[insn].module = i == n_paths;
		place_at(&profile, insn, i == n_paths ? "/home/me/libm.c" : paths[i], 7, 1, PROFILE_NONE);
		profile_count(&profile, region, insn, 100 * i + 4, 0);
	}
	options.annotate = true;
	text = make_report(&profile, &model, 1, &options);
	profile_deinit(&profile);
	model_destroy(model);
	return text;
}

/* The files of an annotation in their order. */
static void assert_files(const char *const *paths, size_t n_paths, struct report_options options, const char *expected)
{
	char *text = annotate_files(paths, n_paths, options), found[256] = "";

	for (const char *at = text, *end; (end = strstr(at, ", (no function)\n")); at = end + 1) {
		const char *begin = end;

		while (begin > at && begin[-1] != ' ')
			begin--;
		strncat(found, begin, (size_t)(end - begin));
		strcat(found, " ");
	}
	assert_string_equal(found, expected);
	free(text);
}

static void own_files_come_first(void **state)
{
	static const char *const mixed[] = {"/home/me/own.c",
					    "/srv/shared/also.h",
					    "/usr/include/c++/12/vector",
					    "/usr/lib/gcc/x86_64-linux-gnu/12/include/emmintrin.h",
					    "/usr/lib64/x.h",
					    "/usr/local/include/y.h",
					    "/usr/src/glibc/start.S",
					    "/build/zlib-1.2.13/z.c",
					    "/rustc/abc/library/core.rs",
					    "./csu/init.c"};
	static const char *const package[] = {"/build/gzip-1.12/deflate.c", "./lib/util.c", "/usr/include/stdio.h"};

	(void)state;
	assert_files(mixed, ARRAY_LENGTH(mixed), (struct report_options){0},
		     "also.h own.c libm.c init.c core.rs z.c start.S y.h x.h emmintrin.h vector ");
	/* Own lines are among the first ones, however cheap they are. */
	assert_files(mixed, ARRAY_LENGTH(mixed), (struct report_options){.top = 3}, "also.h own.c libm.c ");
	assert_files(mixed, ARRAY_LENGTH(mixed), (struct report_options){.only_own = true}, "also.h own.c ");
	/* Nothing would be the user's own: the package itself is. */
	assert_files(package, ARRAY_LENGTH(package), (struct report_options){.only_own = true}, "util.c deflate.c ");
	assert_files(package + 2, 1, (struct report_options){.only_own = true}, "");
}

static void file_chooses_files(void **state)
{
	static const char *const paths[] = {"/home/me/own.c", "/home/me/own.h", "/usr/include/own.h"};
	struct report_options options = {.file_globs = (const char *const[]){"own.*"}, .n_file_globs = 1};
	char *text;

	(void)state;
	assert_files(paths, 3, options, "me/own.h own.c include/own.h ");
	options.only_own = true;
	assert_files(paths, 3, options, "me/own.h own.c ");
	options.only_own = false;
	options.n_file_globs = 2;
	options.file_globs = (const char *const[]){"me/*.c", "*/include/*"};
	assert_files(paths, 3, options, "own.c libm.c include/own.h ");
	text = annotate_files(paths, 3,
			      (struct report_options){.file_globs = (const char *const[]){"wn.c"}, .n_file_globs = 1});
	assert_non_null(strstr(text, "\nno executed line is in a file that matches --file\n"));
	free(text);
	text = annotate_files(paths, 3, (struct report_options){.format = REPORT_JSON, .only_own = true});
	assert_non_null(strstr(text, "\"is_own\": true"));
	assert_null(strstr(text, "\"is_own\": false"));
	assert_null(strstr(text, "/usr/include/own.h"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_files_come_first),
		cmocka_unit_test(file_chooses_files),
		cmocka_unit_test(the_most_expensive_lines_and_those_around),
		cmocka_unit_test(what_has_no_text_is_shown_by_instruction),
		cmocka_unit_test(instructions_stand_below_their_line),
		cmocka_unit_test(json_keeps_to_the_schema),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
