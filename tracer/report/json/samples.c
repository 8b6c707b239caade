#include <assert.h>

#include "report/writer.h"
#include "report/json/json.h"

/* The version of sample.schema.json. */
#define FORMAT_VERSION 1

static json_t *json_rows(const struct sample_report *samples)
{
	static const char *const kinds[] = {[SAMPLE_ROW_NAMED] = "named",
					    [SAMPLE_ROW_UNNAMED] = "unnamed",
					    [SAMPLE_ROW_UNKNOWN] = "unknown",
					    [SAMPLE_ROW_KERNEL] = "kernel"};
	const struct sample_table *table = samples->table;
	json_t *rows = json_array();

	for (size_t i = 0; i < table->n_rows; i++) {
		const struct sample_row *row = &table->rows[i];
		json_t *counts = json_array();

		for (size_t s = 0; s < table->n_series; s++)
			json_add(counts, json_integer((json_int_t)row->samples[s]));
		json_add(rows, json_pack("{s:o, s:o, s:s, s:o, s:f, s:f, s:f}", "name", json_text(row->name), "module",
					 json_text(row->module), "kind", kinds[row->kind], "samples", counts, "share",
					 report_sample_share(row->samples[0], table->totals[0]), "low", row->low,
					 "high", row->high));
	}
	return rows;
}

static json_t *json_threads(const struct sample_report *samples)
{
	json_t *threads = json_array();

	for (size_t i = 0; i < samples->threads->n_threads; i++) {
		const struct sample_thread *thread = &samples->threads->threads[i];
		json_t *rows = json_array();

		for (size_t k = 0; k < samples->table->n_rows; k++)
			json_add(rows, json_integer((json_int_t)thread->row_samples[k]));
		json_add(threads, json_pack("{s:i, s:I, s:o}", "tid", (int)thread->tid, "samples",
					    (json_int_t)thread->samples, "row_samples", rows));
	}
	return threads;
}

static json_t *json_series(const struct sample_report *samples)
{
	json_t *all = json_array();

	for (size_t s = 0; s < samples->table->n_series; s++) {
		const struct sampling_series *series = &samples->sampling->series[s];
		const struct sample_trial *trial = &samples->verdict->trials[s];

		json_add(all,
			 json_pack("{s:I, s:f, s:I, s:f, s:I, s:f, s:f, s:I}", "period_ns",
				   (json_int_t)series->period_ns, "ratio", series->ratio, "samples",
				   (json_int_t)samples->table->totals[s], "neighbour_correlation",
				   trial->rhythm.lag_1_correlation, "own_period_samples",
				   (json_int_t)trial->rhythm.period_lags, "own_period_correlation",
				   trial->rhythm.strength, "p", trial->p, "moved_rows", (json_int_t)trial->n_moved));
	}
	return all;
}

static json_t *json_verdict(const struct sample_verdict *verdict)
{
	json_t *moves = json_array();

	for (size_t i = 0; i < verdict->n_moves; i++) {
		const struct sample_move *move = &verdict->moves[i];

		json_add(moves, json_pack("{s:I, s:f, s:f, s:f}", "row", (json_int_t)move->row, "p", move->p, "share",
					  move->share, "share_elsewhere", move->rest_share));
	}
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:f, s:f, s:f, s:f, s:o}", "many_samples",
			 report_trust_name(verdict->many_samples), "many_each", report_trust_name(verdict->many_each),
			 "off_period", report_trust_name(verdict->off_period), "many_periods",
			 report_trust_name(verdict->many_periods), "low_cost", report_trust_name(verdict->low_cost),
			 "cost_share", verdict->cost_share, "periods_sampled", verdict->periods_sampled, "p",
			 verdict->p, "p_without_first", verdict->rest_p, "moved", moves);
}

static json_t *json_check(const struct sample_check *check)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < check->n_rows; i++) {
		const struct sample_check_row *row = &check->rows[i];

		json_add(rows, json_pack("{s:o, s:o, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:b}", "name",
					 json_text(row->name), "module", json_text(row->module), "samples",
					 (json_int_t)row->samples, "share", row->share, "low", row->low, "high",
					 row->high, "exact_cycles", (double)row->exact_mcyc / 1000, "exact_share",
					 row->exact_share, "p", row->p, "different", (int)row->is_different));
	}
	return json_pack("{s:o, s:I, s:I, s:o}", "model", json_text(check->model), "samples",
			 (json_int_t)check->n_samples, "samples_beside", (json_int_t)check->n_samples_beside, "rows",
			 rows);
}

static json_t *json_sampled_program(const struct sampling *sampling)
{
	json_t *argv = json_array();

	for (char **arg = sampling->argv; arg && *arg; arg++)
		json_add(argv, json_text(*arg));
	return json_pack("{s:o, s:o, s:o}", "argv", argv, "exit_status",
			 sampling->exited ? json_integer(sampling->exit_status) : json_null(), "signal",
			 sampling->signal ? json_integer(sampling->signal) : json_null());
}

void json_write_samples(const struct report *report)
{
	static const char *const bys[] = {
		[SAMPLING_BY_OBJECT] = "object", [SAMPLING_BY_FUNCTION] = "function", [SAMPLING_BY_LINE] = "line"};
	const struct sample_report *samples = report->samples;
	const struct sampling *sampling = samples->sampling;
	json_t *notes = json_array(), *root;

	for (size_t i = 0; i < sampling->n_notes; i++)
		json_add(notes, json_text(sampling->notes[i]));
	root = json_pack("{s:i, s:s, s:b, s:s, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "format",
			 FORMAT_VERSION, "method", sampling->method, "sees_kernel", (int)sampling->sees_kernel, "by",
			 bys[samples->table->by], "program", json_sampled_program(sampling), "wall_ns",
			 (json_int_t)sampling->wall_ns, "cpu_ns", (json_int_t)sampling->cpu_ns, "cost_ns",
			 (json_int_t)sampling->cost_ns, "samples_lost", (json_int_t)sampling->n_lost, "throttled",
			 (json_int_t)sampling->n_throttled, "samples_in_children", (json_int_t)sampling->n_in_children,
			 "series", json_series(samples), "rows", json_rows(samples), "verdict",
			 json_verdict(samples->verdict), "notes", notes);
	assert(root);
	if (samples->threads)
		json_object_set_new(root, "threads", json_threads(samples));
	if (samples->check)
		json_object_set_new(root, "check", json_check(samples->check));
	json_write(root, report->out);
}
