#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/array.h"
#include "report/samples.h"

/* Two series of a run: shares 3:1 in the first, 1:3 in the second. */
struct fixture {
	char *argv[2], *notes[1];
	struct sampling_series series[2];
	uint64_t work_samples[2], rest_samples[2], kernel_samples[2], totals[2], thread_samples[3];
	struct sample_row rows[3];
	struct sample_thread thread;
	struct sample_threads threads;
	struct sample_trial trials[2];
	struct sample_move move;
	struct sample_check_row check_rows[2];
	struct sampling sampling;
	struct sample_table table;
	struct sample_verdict verdict;
	struct sample_check check;
	struct sample_report report;
};

static char work[] = "work,\"hard\"", rest[] = "rest", kernel[] = "[kernel]", module[] = "prog", none[] = "",
	    program[] = "./prog", model[] = "toy", note[] = "a note";

static void fill(struct fixture *f, size_t n_series)
{
	*f = (struct fixture){
		.argv = {program},
		.notes = {note},
		.series = {{.period_ns = 1000000, .ratio = 1, .n_samples = 1000},
			   {.period_ns = 1570796, .ratio = 1.5707963267948966, .n_samples = 640}},
		.work_samples = {750, 160},
		.rest_samples = {240, 470},
		.kernel_samples = {10, 10},
		.totals = {1000, 640},
		.thread_samples = {750, 240, 10},
		.move = {.row = 0, .p = 1e-9, .share = 0.75, .rest_share = 0.25},
	};
	f->rows[0] = (struct sample_row){SAMPLE_ROW_NAMED, work, module, f->work_samples, 0.722, 0.776};
	f->rows[1] = (struct sample_row){SAMPLE_ROW_UNNAMED, module, module, f->rest_samples, 0.215, 0.267};
	f->rows[2] = (struct sample_row){SAMPLE_ROW_KERNEL, kernel, none, f->kernel_samples, 0.005, 0.018};
	f->thread = (struct sample_thread){.tid = 42, .samples = 1000, .row_samples = f->thread_samples};
	f->threads = (struct sample_threads){.threads = &f->thread, .n_threads = 1};
	f->trials[0] = (struct sample_trial){
		.p = 1, .rhythm = {.n_lags = 250, .lag_1_correlation = 0.02, .period_lags = 15, .strength = 0.8}};
	f->trials[1] = (struct sample_trial){.p = 1e-9, .n_moved = 2, .rhythm = {.n_lags = 160}};
	f->sampling = (struct sampling){.argv = f->argv,
					.exited = true,
					.method = "perf",
					.sees_kernel = true,
					.wall_ns = 2000000000,
					.cpu_ns = 1000000000,
					.cost_ns = 123000000,
					.n_in_children = 7,
					.series = f->series,
					.n_series = n_series,
					.notes = f->notes,
					.n_notes = 1};
	f->table = (struct sample_table){
		.by = SAMPLING_BY_FUNCTION, .n_series = n_series, .totals = f->totals, .rows = f->rows, .n_rows = 3};
	f->verdict = (struct sample_verdict){.many_periods = TRUST_GOOD,
					     .low_cost = TRUST_DOUBTFUL,
					     .cost_share = 0.123,
					     .periods_sampled = 66.7,
					     .trials = f->trials,
					     .n_trials = n_series,
					     .p = 1,
					     .rest_p = 1};
	if (n_series > 1) {
		f->verdict.off_period = TRUST_BAD;
		f->verdict.moves = &f->move;
		f->verdict.n_moves = 1;
	}
	f->check_rows[0] = (struct sample_check_row){work,  module,  750,     0.7576, 0.73,
						     0.783, 7000500, 0.70005, 0.0004, true};
	f->check_rows[1] = (struct sample_check_row){rest, module,  240,     0.2424, 0.217,
						     0.27, 3000000, 0.29995, 0.0004, true};
	f->check = (struct sample_check){.model = model,
					 .n_samples = 990,
					 .n_samples_beside = 10,
					 .exact_mcyc = 10000500,
					 .rows = f->check_rows,
					 .n_rows = 2,
					 .n_different = 2};
	f->report = (struct sample_report){.sampling = &f->sampling, .table = &f->table, .verdict = &f->verdict};
}

static char *make_text(const struct fixture *f, enum report_format format, size_t top)
{
	const struct report_options options = {.format = format, .top = top};
	char *text = NULL;
	size_t n_bytes;
	FILE *out = open_memstream(&text, &n_bytes);

	assert_non_null(out);
	report_write_samples(out, &f->report, &options);
	fclose(out);
	return text;
}

static void assert_text(struct fixture *f, enum report_format format, size_t top, const char *expected)
{
	char *text = make_text(f, format, top);

	assert_string_equal(text, expected);
	free(text);
}

static void the_table_has_bars_and_intervals(void **state)
{
	struct fixture f;

	(void)state;
	fill(&f, 1);
	assert_text(
		&f, REPORT_TEXT, 2,
		"./prog: 1,000 samples, one every 1.000 ms of CPU time; 1.000 s of CPU time in 2.000 s\n"
		"\n"
		"  samples  share  from    to  0%     75.0%  function\n"
		"      750  75.0%  72.2  77.6  ************  work,\"hard\" [prog]\n"
		"      240  24.0%  21.5  26.7  ****          prog, outside any symbol\n"
		"       10   1.0%                            1 more (--top 0 for all)\n"
		"  from, to: 95 % confidence interval of the share, for all rows of 1 % and more together, if samples "
		"are independent\n"
		"\n"
		"conditions for good statistics (t: period, T: run time, N: rows, n: samples, c: cost of a sample)\n"
		"  good: t << T: 1,000 samples, one every 1.000 ms\n"
		"  good: N << n: 333.3 samples for each of 3 rows\n"
		"  good: t is not a period of the program: neighbouring samples are alike only by chance (correlation "
		"0.02); --trials checks it\n"
		"  good: T >> period: the program seems to repeat itself every 15.00 ms (correlation 0.80); 66.7 "
		"of its periods were sampled\n"
		"  doubtful: c << t: each sample cost about 123.0 us, 12.3% of the time in all; a longer --period "
		"costs less\n"
		"\n"
		"7 samples in child processes left out\n"
		"a note\n");
}

static void aliasing_names_the_rows_that_moved(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	fill(&f, 2);
	text = make_text(&f, REPORT_TEXT, 20);
	assert_non_null(strstr(
		text,
		"  bad: t is not a period of the program: ALIASING, the share of 1 row depends on the period (below); "
		"the other periods agree with one another: use one of those\n"));
	assert_non_null(strstr(text, "   trial    period  samples  own period        p  moved\n"
				     "       t  1.000 ms    1,000    15.00 ms\n"
				     "  pi/2 t  1.571 ms      640           -  <0.0001      2\n"));
	assert_non_null(strstr(text, "rows whose share depends on the period\n"
				     "      t  pi/2 t\n"
				     "  75.0%   25.0%  work,\"hard\" [prog]\n"));
	free(text);
}

static void threads_and_the_check_have_tables(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	fill(&f, 1);
	f.report.threads = &f.threads;
	f.report.check = &f.check;
	text = make_text(&f, REPORT_TEXT, 0);
	assert_non_null(strstr(text, "\nthread 42: 1,000 samples, 100.0% of all\n"));
	assert_non_null(
		strstr(text,
		       "  samples  share  from    to  exact  share/exact       p           function\n"
		       "      750  75.8%  73.0  78.3  70.0%        1.08x  0.0004  differs  work,\"hard\" [prog]\n"));
	assert_non_null(strstr(text, "10 samples in the kernel or in functions that were not traced\n"));
	free(text);
}

static void csv_has_a_line_for_each_row(void **state)
{
	struct fixture f;

	(void)state;
	fill(&f, 2);
	assert_text(&f, REPORT_CSV, 1,
		    "name,module,samples,share,low,high,samples_1570796ns,moved\n"
		    "\"work,\"\"hard\"\"\",prog,750,0.750000,0.722000,0.776000,160,1\n"
		    "prog,prog,240,0.240000,0.215000,0.267000,470,0\n"
		    "[kernel],,10,0.010000,0.005000,0.018000,10,0\n");
	f.report.check = &f.check;
	assert_text(&f, REPORT_CSV, 0,
		    "function,module,samples,share,low,high,exact_cycles,exact_share,p,different\n"
		    "\"work,\"\"hard\"\"\",prog,750,0.757600,0.730000,0.783000,7000.5,0.700050,0.0004,1\n"
		    "rest,prog,240,0.242400,0.217000,0.270000,3000,0.299950,0.0004,1\n");
}

static void json_keeps_to_the_schema(void **state)
{
	char path[] = "/tmp/sample-report-XXXXXX";
	int fd = mkstemp(path), status;
	struct fixture f;
	char *text, *command;

	(void)state;
	assert_true(fd >= 0);
	fill(&f, 2);
	f.report.threads = &f.threads;
	f.report.check = &f.check;
	text = make_text(&f, REPORT_JSON, 0);
	assert_non_null(strstr(text, "\"off_period\": \"bad\""));
	assert_non_null(strstr(text, "\"low_cost\": \"doubtful\""));
	assert_non_null(strstr(text, "\"cost_ns\": 123000000"));
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	free(text);
	if (system("python3 -c 'import jsonschema' 2>/dev/null") != 0) {
		unlink(path);
		skip();
	}
	command = xasprintf("'%s' --sample %s", CHECK_JSON_SCHEMA, path);
	status = system(command);
	free(command);
	unlink(path);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_has_bars_and_intervals),
		cmocka_unit_test(aliasing_names_the_rows_that_moved),
		cmocka_unit_test(threads_and_the_check_have_tables),
		cmocka_unit_test(csv_has_a_line_for_each_row),
		cmocka_unit_test(json_keeps_to_the_schema),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
