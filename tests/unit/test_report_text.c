#include "report_fixture.h"

#include <signal.h>

#define E "\033"

static void check_report(const struct profile *profile, struct model *const *models, size_t n_models,
			 const struct report_options *options, const char *expected)
{
	char *text = make_report(profile, models, n_models, options);

	assert_string_equal(text, expected);
	free(text);
}

/* Fast: 300 x 1 + 1000 x 0.25 + 400 x 0.5 + 2 x 30 + 100 x 0.5 = 860; latencies: 300 + 1000 + 2000 + 80 + 100 = 3480.
 * Exact are 1702, or 91.9 percent. */
static void one_model(void **state)
{
	struct model *model = make_model(FAST_COST, NULL);
	struct profile profile;

	(void)state;
	make_profile(&profile);
	check_report(&profile, &model, 1, &(struct report_options){.width = 80},
		     "deflate: 1 visit, 1,852 instructions (600 REP iterations), 3 system calls\n"
		     "  (read 2, write 1)\n"
		     "\n"
		     "  count   each  cycles  share  instruction\n"
		     "    300   1.00     300  34.9%  JNZ rel8\n"
		     "  1,000   0.25     250  29.1%  ADD r64, r64\n"
		     "    400   0.50     200  23.3%  MOVZX r32, m8\n"
		     "      2  30.00      60   7.0%  REP STOSB m8 (600 iterations)\n"
		     "    100   0.50     ~50   5.8%  SHL r64, imm8 ~ SHL r64, imm32\n"
		     "     50      ?       ?      ?  PXOR xmm, xmm\n"
		     "  1,852  >0.46    >860         in all\n"
		     "\n"
		     "                >3,480         with no overlap\n"
		     "                 91.9%         executions exact\n"
		     "                  5.4%         ~ fallback\n"
		     "                  2.7%         ? unknown\n"
		     "\n"
		     "1,852 instructions taking 860 cycles (215 ns) on fast at 4.0 GHz, not counting\n"
		     "  50 without a figure\n"
		     "fast has no figure for 1 form: PXOR xmm, xmm (50)\n"
		     "\n"
		     "cycles are sums over tables, not measured: reciprocal throughputs, as if\n"
		     "  everything overlapped, on fast; cache misses and mispredicted branches come on\n"
		     "  top\n"
		     "~ a related form's figure; > at least: a part has no figure; ? no figure\n");
	profile_deinit(&profile);
	model_destroy(model);
}

/* Careful's throughputs: 150 + 250 + 133.2 + 40 + 50 + 12.5 = 635.7. Old: 8138 cycles of 45 ns are 366.21 us. Each that
 * lacks PXOR is a bound, so the ratio of two of them says nothing. */
static void a_column_for_each_model(void **state)
{
	struct model *models[] = {make_model(FAST_COST, NULL), make_model(SLOW_COST, NULL),
				  make_model(CAREFUL_COST, NULL), make_model(OLD_COST, OLD_MAP)};
	struct profile profile;

	(void)state;
	make_profile(&profile);
	check_report(&profile, models, 4, &(struct report_options){.width = 0},
		     "deflate: 1 visit, 1,852 instructions (600 REP iterations), 3 system calls (read 2, write 1)\n"
		     "\n"
		     "                 cycles            cycles   cycles     cycles\n"
		     "  count   each     fast  share       slow  careful        old  instruction\n"
		     "    300   1.00      300  34.9%        900      300        900  JNZ rel8\n"
		     "  1,000   0.25      250  29.1%      2,000    1,000      5,000  ADD r64, r64\n"
		     "    400   0.50      200  23.3%      2,400    1,600      1,600  MOVZX r32, m8\n"
		     "      2  30.00       60   7.0%          ?       40        138  REP STOSB m8 (600 iterations)\n"
		     "    100   0.50      ~50   5.8%        400      100       ~500  SHL r64, imm8 ~ SHL r64, imm32\n"
		     "     50      ?        ?      ?          ?       50          ?  PXOR xmm, xmm\n"
		     "  1,852  >0.46     >860            >5,700    3,090     >8,138  in all\n"
		     "\n"
		     "                >215 ns         >57.00 us           >366.2 us  time\n"
		     "                4.0 GHz           100 MHz            22.2 MHz  clock\n"
		     "                  1.00x                 ?   <3.59x          ?  ratio to fast\n"
		     "                 >3,480                                        with no overlap\n"
		     "                                               636             with full overlap\n"
		     "                  91.9%             97.2%   100.0%      91.9%  executions exact\n"
		     "                   5.4%                                  5.4%  ~ fallback\n"
		     "                   2.7%              2.8%                2.7%  ? unknown\n"
		     "\n"
		     "1,852 instructions taking 860 cycles (215 ns) on fast at 4.0 GHz, not counting 50 without a "
		     "figure\n"
		     "fast has no figure for 1 form: PXOR xmm, xmm (50)\n"
		     "slow has no figure for 2 forms: PXOR xmm, xmm (50), REP STOSB m8 (2)\n"
		     "old has no figure for 1 form: PXOR xmm, xmm (50)\n"
		     "\n"
		     "cycles are sums over tables, not measured: reciprocal throughputs, as if everything overlapped, "
		     "on fast; latencies, as if nothing overlapped, on careful; one figure for each instruction, on "
		     "slow, old; cache misses and mispredicted branches come on top\n"
		     "~ a related form's figure; > at least: a part has no figure; < at most, likewise; ? no figure\n");
	profile_deinit(&profile);
	for (size_t i = 0; i < ARRAY_LENGTH(models); i++)
		model_destroy(models[i]);
}

/* The first model is another machine: its instructions stand beside the form. It lacks one, so the ratio to it is at
 * most what it seems. */
static void a_mapped_model_and_top(void **state)
{
	struct model *models[] = {make_model(OLD_COST, OLD_MAP), make_model(CAREFUL_COST, NULL)};
	struct profile profile;

	(void)state;
	make_profile(&profile);
	check_report(&profile, models, 2, &(struct report_options){.width = 60, .top = 3},
		     "deflate: 1 visit, 1,852 instructions (600 REP iterations), 3\n"
		     "  system calls (read 2, write 1)\n"
		     "\n"
		     "                   cycles          cycles\n"
		     "  count   each        old  share  careful  instruction\n"
		     "  1,000   5.00      5,000  61.4%    1,000  ADD r64, r64 =...\n"
		     "    400   4.00      1,600  19.7%    1,600  MOVZX r32, m8 ...\n"
		     "    300   3.00        900  11.1%      300  JNZ rel8 = BNEQ\n"
		     "    152  >4.20       >638   7.8%      190  3 more (--top ...\n"
		     "  1,852  >4.39     >8,138           3,090  in all\n"
		     "\n"
		     "                >366.2 us                  time\n"
		     "                 22.2 MHz                  clock\n"
		     "                    1.00x         <0.380x  ratio to old\n"
		     "                                      636  with full overlap\n"
		     "                    91.9%          100.0%  executions exact\n"
		     "                     5.4%                  ~ fallback\n"
		     "                     2.7%                  ? unknown\n"
		     "\n"
		     "1,852 instructions taking 8,138 cycles (366.2 us) on old at\n"
		     "  22.2 MHz, not counting 50 without a figure\n"
		     "old has no figure for 1 form: PXOR xmm, xmm (50)\n"
		     "\n"
		     "cycles are sums over tables, not measured: latencies, as if\n"
		     "  nothing overlapped, on careful; one figure for each\n"
		     "  instruction, on old; cache misses and mispredicted\n"
		     "  branches come on top\n"
		     "> at least: a part has no figure; < at most, likewise\n");
	profile_deinit(&profile);
	for (size_t i = 0; i < ARRAY_LENGTH(models); i++)
		model_destroy(models[i]);
}

/* Compress: 225 + 200 + 300 + 50 = 775 of 860. Copy has PXOR and so costs at least its 100 ADD. */
static void functions_as_groups(void **state)
{
	struct model *model = make_model(FAST_COST, NULL);
	struct profile profile;

	(void)state;
	make_profile(&profile);
	check_report(&profile, &model, 1, &(struct report_options){.by = GROUP_BY_FUNCTION},
		     "deflate: 1 visit, 1,852 instructions (600 REP iterations), 3 system calls (read 2, write 1)\n"
		     "\n"
		     "  count   each  cycles  share  function\n"
		     "  1,700   0.46    ~775  90.1%  compress [libz.so.1]\n"
		     "      2  30.00      60   7.0%  (no function)\n"
		     "    150  >0.17     >25   2.9%  copy [libz.so.1]\n"
		     "  1,852  >0.46    >860         in all\n"
		     "\n"
		     "                >3,480         with no overlap\n"
		     "                 91.9%         executions exact\n"
		     "                  5.4%         ~ fallback\n"
		     "                  2.7%         ? unknown\n"
		     "\n"
		     "1,852 instructions taking 860 cycles (215 ns) on fast at 4.0 GHz, not counting 50 without a "
		     "figure\n"
		     "fast has no figure for 1 form: PXOR xmm, xmm (50)\n"
		     "\n"
		     "cycles are sums over tables, not measured: reciprocal throughputs, as if everything overlapped, "
		     "on fast; cache misses and mispredicted branches come on top\n"
		     "~ a related form's figure; > at least: a part has no figure\n");
	profile_deinit(&profile);
	model_destroy(model);
}

/* Files of one name are told apart by the folder. 300, 225 + 200, 60, 50 and 25 of 860 cycles. */
static void lines_as_groups(void **state)
{
	struct model *model = make_model(FAST_COST, NULL);
	struct profile profile;
	char *text;

	(void)state;
	make_located_profile(&profile);
	text = make_report(&profile, &model, 1, &(struct report_options){.by = GROUP_BY_LINE});
	assert_non_null(strstr(text, "  count   each  cycles  share  line\n"
				     "  1,300   0.33     425  49.4%  deflate.c:10  compress\n"
				     "    300   1.00     300  34.9%  deflate.c:12  compress\n"
				     "      2  30.00      60   7.0%  (no line)\n"
				     "    100   0.50     ~50   5.8%  src/hash.h:5  hash\n"
				     "    100   0.25      25   2.9%  other/hash.h:5  copy\n"
				     "     50      ?       ?      ?  (no line) [libz.so.1]\n"));
	free(text);
	text = make_report(&profile, &model, 1, &(struct report_options){.by = GROUP_BY_INLINED});
	assert_non_null(strstr(text, "    ~50   5.8%  hash <- compress (deflate.c:12) [libz.so.1]\n"));
	free(text);
	profile_deinit(&profile);
	model_destroy(model);
}

/* Nothing is unknown or a fallback: no legend. 95 x 0.25 = 23.75 and 5 x 0.5 = 2.5 of 26.25: 90.5 and 9.5 percent. */
static void a_small_profile(struct profile *profile)
{
	uint32_t region;

	profile_init(profile);
	profile->exited = true;
	region = make_region(profile, "sum", PROFILE_NONE);
	profile_count(profile, region, make_insn(profile, "MOVZX r32, m8", "datatransfer", "base", PROFILE_NONE), 5, 0);
	profile_count(profile, region, make_insn(profile, "ADD r64, r64", "binary", "base", PROFILE_NONE), 95, 0);
}

static void colors(void **state)
{
	struct model *model = make_model(FAST_COST, NULL);
	struct profile profile;

	(void)state;
	a_small_profile(&profile);
	check_report(&profile, &model, 1, &(struct report_options){.width = 80, .color = true},
		     E "[1msum" E "[0m: 1 visit, 100 instructions, no system calls\n"
		       "\n" E "[1m  count  each  cycles  share  instruction" E "[0m\n"
		       "     95  0.25      24  " E "[1;33m90.5%" E "[0m  ADD r64, r64\n"
		       "      5  0.50       3   9.5%  MOVZX r32, m8\n"
		       "    100  0.26      26         in all\n"
		       "\n"
		       "                  120         with no overlap\n"
		       "               100.0%         executions exact\n"
		       "\n"
		       "100 instructions taking 26 cycles (7 ns) on fast at 4.0 GHz\n"
		       "\n"
		       "cycles are sums over tables, not measured: reciprocal throughputs, as if\n"
		       "  everything overlapped, on fast; cache misses and mispredicted branches come on\n"
		       "  top\n");
	profile_deinit(&profile);
	model_destroy(model);
}

static void nothing_known_is_not_nothing(void **state)
{
	struct model *models[] = {make_model(SLOW_COST, NULL), make_model(CAREFUL_COST, NULL)};
	struct profile profile;
	uint32_t region;

	(void)state;
	profile_init(&profile);
	profile.exited = true;
	region = make_region(&profile, "xor", PROFILE_NONE);
	profile_count(&profile, region, make_insn(&profile, "PXOR xmm, xmm", "logical", "sse2", PROFILE_NONE), 1, 0);
	check_report(&profile, models, 2, &(struct report_options){0},
		     "xor: 1 visit, 1 instruction, no system calls\n"
		     "\n"
		     "                cycles          cycles\n"
		     "  count  each     slow  share  careful  instruction\n"
		     "      1     ?        ?      ?        1  PXOR xmm, xmm\n"
		     "      1     ?        ?               1  in all\n"
		     "\n"
		     "                     ?                  time\n"
		     "               100 MHz                  clock\n"
		     "                 1.00x               ?  ratio to slow\n"
		     "                                    <1  with full overlap\n"
		     "                  0.0%          100.0%  executions exact\n"
		     "                100.0%                  ? unknown\n"
		     "\n"
		     "1 instruction taking ? cycles on slow at 100 MHz\n"
		     "slow has no figure for 1 form: PXOR xmm, xmm (1)\n"
		     "\n"
		     "cycles are sums over tables, not measured: latencies, as if nothing overlapped, on careful; one "
		     "figure for each instruction, on slow; cache misses and mispredicted branches come on top\n"
		     "? no figure\n");
	profile_deinit(&profile);
	for (size_t i = 0; i < ARRAY_LENGTH(models); i++)
		model_destroy(models[i]);
}

static void the_most_executed_unknown_forms_are_named(void **state)
{
	static const char *const forms[] = {"AAA", "BBB", "CCC", "DDD", "EEE"};
	struct model *model = make_model(FAST_COST, NULL);
	struct profile profile;
	uint32_t region;
	char *text;

	(void)state;
	profile_init(&profile);
	region = make_region(&profile, "odd", PROFILE_NONE);
	for (size_t i = 0; i < ARRAY_LENGTH(forms); i++)
		profile_count(&profile, region, make_insn(&profile, forms[i], "other", "base", PROFILE_NONE),
			      i == 3 ? 1000 : 2 + i, 0);
	text = make_report(&profile, &model, 1, &(struct report_options){.by = GROUP_BY_CATEGORY});
	assert_non_null(strstr(text, "\nfast has no figure for 5 forms: DDD (1,000), EEE (6), CCC (4), 2 more\n"));
	assert_non_null(strstr(text, "\n  1,015     ?       ?      ?  other\n"));
	free(text);
	profile_deinit(&profile);
	model_destroy(model);
}

/* What a person must know about the visits and the run, in the order in which it is printed. */
static void handlers_visits_and_endings(void **state)
{
	struct model *model = make_model(SLOW_COST, NULL);
	struct profile profile;
	uint32_t sum, handlers, lost;

	(void)state;
	profile_init(&profile);
	sum = make_region(&profile, "sum", PROFILE_NONE);
	make_region(&profile, "empty", PROFILE_NONE);
	lost = make_unreached_region(&profile, "lost");
	handlers = make_region(&profile, "sum", sum);
	make_unreached_region(&profile, "");
	profile_count(&profile, sum, make_insn(&profile, "JNZ rel8", "condbranch", "base", PROFILE_NONE), 52000, 0);
	profile_count(&profile, handlers, make_insn(&profile, "ADD r64, r64", "binary", "base", PROFILE_NONE), 3, 0);
	profile.regions[sum].visits = 3;
	profile.regions[sum].visits_cut = 1;
	profile.regions[sum].visits_left = 2;
	profile.regions[sum].unmatched_ends = 1;
	profile.regions[sum].tracing_ns = 1000000000;
	profile.regions[handlers].visits = 2;
	profile.regions[handlers].tracing_ns = 150000;
	profile.regions[lost].n_markers = 2;
	profile.regions[lost].unmatched_ends = 4;
	profile.wall_ns = 1200000000;
	profile.signal = SIGSEGV;
	profile_note(&profile, "vfork child 123 was not traced");
	profile_count_syscall(&profile, sum, 4, true);
	profile_count_syscall(&profile, sum, 4, true);
	check_report(
		&profile, &model, 1, &(struct report_options){0},
		"sum: 3 visits, 52,000 instructions, 2 system calls (write/int80 2)\n"
		"\n"
		"   count  each   cycles   share  instruction\n"
		"  52,000  3.00  156,000  100.0%  JNZ rel8\n"
		"  52,000  3.00  156,000          in all\n"
		"\n"
		"                 100.0%          executions exact\n"
		"\n"
		"52,000 instructions taking 156,000 cycles (1.560 ms) on slow at 100 MHz\n"
		"1 of 3 visits had not ended when the program did: no end marker was reached, and all that ran until then is counted\n"
		"2 visits were left without an end marker (a longjmp, an exception or a missing PA_END), and what ran until the "
		"next begin is counted\n"
		"1 end marker was reached while the region was not active\n"
		"tracing took 1.000 s of the run's 1.200 s, 52,000 instructions a second\n"
		"\n"
		"sum: in signal handlers: 2 visits, 3 instructions, no system calls\n"
		"\n"
		"  count  each  cycles   share  instruction\n"
		"      3  2.00       6  100.0%  ADD r64, r64\n"
		"      3  2.00       6          in all\n"
		"\n"
		"               100.0%          executions exact\n"
		"\n"
		"3 instructions taking 6 cycles (60 ns) on slow at 100 MHz\n"
		"tracing took 150.0 us of the run's 1.200 s\n"
		"\n"
		"empty: 1 visit, 0 instructions, no system calls\n"
		"\n"
		"cycles are sums over tables, not measured: one figure for each instruction, on slow; cache "
		"misses and mispredicted branches come on top\n"
		"never begun: lost (2 begin markers, 4 ends reached), (unnamed) (1 begin marker)\n"
		"vfork child 123 was not traced\n"
		"the program was killed by SIGSEGV\n");
	profile_deinit(&profile);
	model_destroy(model);
}

static void no_region_was_reached(void **state)
{
	struct model *model = make_model(FAST_COST, NULL);
	struct profile profile;

	(void)state;
	profile_init(&profile);
	check_report(&profile, &model, 1, &(struct report_options){0},
		     "no region was reached\n"
		     "tracing stopped before the program ended\n");

	profile.exited = true;
	profile.exit_status = 3;
	make_unreached_region(&profile, "sort");
	check_report(&profile, &model, 1, &(struct report_options){0},
		     "no region was reached\n"
		     "never begun: sort (1 begin marker)\n"
		     "the program exited with status 3\n");
	profile_deinit(&profile);
	model_destroy(model);
}

static void notes_are_said(void **state)
{
	struct model *models[] = {make_model(SLOW_COST, NULL), make_model(NOTED_COST, NULL)};
	struct profile profile;
	char *text;

	(void)state;
	make_profile(&profile);
	text = make_report(&profile, models, 2, &(struct report_options){.format = REPORT_TEXT});
	assert_non_null(strstr(text, "come on top\nnoted: the figures of another\n"));
	assert_null(strstr(text, "slow:"));
	free(text);
	profile_deinit(&profile);
	model_destroy(models[0]);
	model_destroy(models[1]);
}

static void only_the_regions_asked_for(void **state)
{
	static const char *const names[] = {"b", "c"};
	struct model *model = make_model(FAST_COST, NULL);
	struct profile profile;

	(void)state;
	profile_init(&profile);
	profile.exited = true;
	make_region(&profile, "a", PROFILE_NONE);
	make_region(&profile, "a", 0);
	make_region(&profile, "b", PROFILE_NONE);
	make_region(&profile, "b", 2);
	make_unreached_region(&profile, "c");
	make_unreached_region(&profile, "d");
	check_report(&profile, &model, 1, &(struct report_options){.only_regions = names, .n_only_regions = 2},
		     "b: 1 visit, 0 instructions, no system calls\n"
		     "\n"
		     "b: in signal handlers: 1 visit, 0 instructions, no system calls\n"
		     "\n"
		     "never begun: c (1 begin marker)\n");
	profile_deinit(&profile);
	model_destroy(model);
}

static void hostile_names_are_harmless(void **state)
{
	struct model *model = make_model(SLOW_COST, NULL);
	struct profile profile;
	uint32_t region, function, module;
	char *text;

	(void)state;
	profile_init(&profile);
	ARRAY_ADD(&profile, modules)->path = xstrdup("/tmp/\033[2Jx\xff/li\nb.so");
	module = 0;
	function = profile_intern_function(&profile, "f\xc2\x9b\r", module);
	region = make_region(&profile, "r\033]0;x\a\x1f", PROFILE_NONE);
	profile_note(&profile, "a note about \033[31m");
	profile_count(&profile, region, make_insn(&profile, "JNZ rel8", "condbranch", "base", function), 1, 0);
	text = make_report(&profile, &model, 1, &(struct report_options){.by = GROUP_BY_FUNCTION});
	assert_non_null(strstr(text, "r\\x1B]0;x\\x07\\x1F: 1 visit"));
	assert_non_null(strstr(text, "  f\\xC2\\x9B\\x0D [li\\x0Ab.so]\n"));
	assert_non_null(strstr(text, "\na note about \\x1B[31m\n"));
	for (const char *at = text; *at; at++)
		assert_true(*at == '\n' || (*at >= ' ' && *at <= '~'));
	free(text);
	profile_deinit(&profile);
	model_destroy(model);
}

/* Characters are cut whole and count as one column each. */
static void labels_are_cut_by_characters(void **state)
{
	struct model *model = make_model(SLOW_COST, NULL);
	struct profile profile;
	uint32_t region, function;
	char *text;

	(void)state;
	profile_init(&profile);
	function = profile_intern_function(&profile, "gr\xc3\xb6\xc3\x9f\xc3\xb6\xc3\x9f\xc3\xb6\xc3\x9f",
					   PROFILE_NONE);
	region = make_region(&profile, "r", PROFILE_NONE);
	profile_count(&profile, region, make_insn(&profile, "JNZ rel8", "condbranch", "base", function), 1, 0);
	text = make_report(&profile, &model, 1, &(struct report_options){.by = GROUP_BY_FUNCTION, .width = 40});
	assert_non_null(strstr(text, "  gr\xc3\xb6\xc3\x9f\xc3\xb6\xc3\x9f\xc3\xb6\xc3\x9f\n"));
	free(text);
	/* Where eight columns do not remain beside the figures, above them. */
	text = make_report(&profile, &model, 1, &(struct report_options){.by = GROUP_BY_FUNCTION, .width = 38});
	assert_non_null(strstr(text, "\n  gr\xc3\xb6\xc3\x9f\xc3\xb6\xc3\x9f\xc3\xb6\xc3\x9f\n  "));
	free(text);
	text = make_report(&profile, &model, 1, &(struct report_options){.width = 1});
	assert_non_null(strstr(text, "\n  JNZ rel8\n  "));
	assert_non_null(strstr(text, "\n  execu...\n  "));
	free(text);
	profile_deinit(&profile);
	model_destroy(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_model),
		cmocka_unit_test(a_column_for_each_model),
		cmocka_unit_test(a_mapped_model_and_top),
		cmocka_unit_test(functions_as_groups),
		cmocka_unit_test(lines_as_groups),
		cmocka_unit_test(colors),
		cmocka_unit_test(nothing_known_is_not_nothing),
		cmocka_unit_test(the_most_executed_unknown_forms_are_named),
		cmocka_unit_test(handlers_visits_and_endings),
		cmocka_unit_test(no_region_was_reached),
		cmocka_unit_test(notes_are_said),
		cmocka_unit_test(only_the_regions_asked_for),
		cmocka_unit_test(hostile_names_are_harmless),
		cmocka_unit_test(labels_are_cut_by_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
