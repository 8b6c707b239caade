#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/order.h"
#include "base/path.h"
#include "sampler/sampler.h"
#include "sampler/statistics.h"

struct row_key {
	char *text; /* kind, module and name */
	uint32_t row;
	UT_hash_handle hh;
};

struct builder {
	struct sample_table *table;
	const struct sampling *sampling;
	struct source *source;
	struct row_key *keys; /* hash by text */
};

static uint32_t intern_row(struct builder *builder, enum sample_row_kind kind, const char *name, const char *module)
{
	char *text = xasprintf("%d %s %s", (int)kind, module, name);
	struct row_key *key;
	struct sample_row *row;

	HASH_FIND_STR(builder->keys, text, key);
	if (key) {
		free(text);
		return key->row;
	}
	key = xcalloc(1, sizeof(*key));
	key->text = text;
	key->row = (uint32_t)builder->table->n_rows;
	HASH_ADD_KEYPTR(hh, builder->keys, key->text, strlen(key->text), key);
	row = ARRAY_ADD(builder->table, rows);
	row->kind = kind;
	row->name = xstrdup(name);
	row->module = xstrdup(module);
	row->samples = xcalloc(builder->table->n_series, sizeof(*row->samples));
	return key->row;
}

static uint32_t row_of_function(struct builder *builder, const struct sample *sample, const char *path,
				const char *module)
{
	struct source_address address = {.va = sample->va};
	const char *name;
	uint64_t offset;

	if (*path && source_find_va(builder->source, path, sample->offset_bytes, &address.file_va)) {
		address.path = path;
		address.is_program = sample->module == builder->sampling->program;
	}
	name = source_find_name(builder->source, &address, &offset);
	if (!name)
		name = source_find_generated(builder->source, builder->sampling->pid, sample->va, &offset);
	if (name)
		return intern_row(builder, SAMPLE_ROW_NAMED, name, module);
	if (*module)
		return intern_row(builder, SAMPLE_ROW_UNNAMED, module, module);
	return intern_row(builder, SAMPLE_ROW_UNKNOWN, "[anonymous]", "");
}

static uint32_t row_of_line(struct builder *builder, const struct sample *sample, const char *path, const char *module)
{
	struct source_line line;
	uint64_t file_va;
	uint32_t row;
	char *name;

	if (!*module)
		return intern_row(builder, SAMPLE_ROW_UNKNOWN, "[anonymous]", "");
	if (!source_find_va(builder->source, path, sample->offset_bytes, &file_va) ||
	    !source_find_line(builder->source, path, file_va, &line) || !line.file)
		return intern_row(builder, SAMPLE_ROW_UNNAMED, module, module);
	name = xasprintf("%s:%" PRIu32, line.file, line.line);
	row = intern_row(builder, SAMPLE_ROW_NAMED, name, module);
	free(name);
	return row;
}

static uint32_t row_of(struct builder *builder, const struct sample *sample)
{
	const char *path, *module;

	if (sample->in_kernel)
		return intern_row(builder, SAMPLE_ROW_KERNEL, "[kernel]", "");
	path = sample->module == SAMPLING_NONE ? "" : builder->sampling->modules[sample->module].path;
	module = path_file_name(path);
	if (builder->table->by == SAMPLING_BY_FUNCTION)
		return row_of_function(builder, sample, path, module);
	if (builder->table->by == SAMPLING_BY_LINE)
		return row_of_line(builder, sample, path, module);
	if (*module)
		return intern_row(builder, SAMPLE_ROW_NAMED, module, module);
	return intern_row(builder, SAMPLE_ROW_UNKNOWN, "[anonymous]", "");
}

struct ranked {
	const struct sample_row *row;
	uint32_t former;
};

static int compare_rows(const void *a, const void *b)
{
	const struct sample_row *x = ((const struct ranked *)a)->row, *y = ((const struct ranked *)b)->row;

	return ORDER(y->samples[0], x->samples[0]) ?: strcmp(x->name, y->name) ?: strcmp(x->module, y->module);
}

static void rank_rows(struct sample_table *table, const struct sampling *sampling)
{
	struct ranked *ranked = xcalloc(table->n_rows, sizeof(*ranked));
	struct sample_row *rows = xcalloc(table->n_rows, sizeof(*rows));
	uint32_t *rank = xcalloc(table->n_rows, sizeof(*rank));

	for (size_t i = 0; i < table->n_rows; i++)
		ranked[i] = (struct ranked){&table->rows[i], (uint32_t)i};
	if (table->n_rows)
		qsort(ranked, table->n_rows, sizeof(*ranked), compare_rows);
	for (size_t i = 0; i < table->n_rows; i++) {
		rows[i] = *ranked[i].row;
		rank[ranked[i].former] = (uint32_t)i;
	}
	free(table->rows);
	table->rows = rows;
	table->rows_capacity = table->n_rows;
	for (size_t s = 0; s < table->n_series; s++)
		for (size_t i = 0; i < sampling->series[s].n_samples; i++)
			table->row_of[s][i] = rank[table->row_of[s][i]];
	free(rank);
	free(ranked);
}

/* A reader compares all large rows at once, so their intervals must hold together. */
static void find_intervals(struct sample_table *table)
{
	size_t n_read = 0;
	double deviate;

	for (size_t i = 0; i < table->n_rows; i++)
		n_read += (double)table->rows[i].samples[0] >= SAMPLE_READ_SHARE * (double)table->totals[0];
	deviate = statistics_joint_deviate(n_read);
	for (size_t i = 0; i < table->n_rows; i++)
		statistics_wilson(table->rows[i].samples[0], table->totals[0], deviate, &table->rows[i].low,
				  &table->rows[i].high);
}

void sample_table_init(struct sample_table *table, const struct sampling *sampling, struct source *source,
		       enum sampling_by by)
{
	struct builder builder = {.table = table, .sampling = sampling, .source = source};
	struct row_key *key, *next;

	*table = (struct sample_table){.by = by, .n_series = sampling->n_series};
	table->totals = xcalloc(table->n_series, sizeof(*table->totals));
	table->row_of = xcalloc(table->n_series, sizeof(*table->row_of));
	for (size_t s = 0; s < table->n_series; s++) {
		const struct sampling_series *series = &sampling->series[s];

		table->totals[s] = series->n_samples;
		table->row_of[s] = xcalloc(series->n_samples, sizeof(**table->row_of));
		for (size_t i = 0; i < series->n_samples; i++) {
			table->row_of[s][i] = row_of(&builder, &series->samples[i]);
			table->rows[table->row_of[s][i]].samples[s]++;
		}
	}
	HASH_ITER (hh, builder.keys, key, next) {
		HASH_DEL(builder.keys, key);
		free(key->text);
		free(key);
	}
	rank_rows(table, sampling);
	find_intervals(table);
}

static struct sample_thread *find_thread(struct sample_threads *threads, int32_t tid, size_t n_rows)
{
	struct sample_thread *thread;

	for (size_t i = 0; i < threads->n_threads; i++)
		if (threads->threads[i].tid == tid)
			return &threads->threads[i];
	thread = ARRAY_ADD(threads, threads);
	thread->tid = tid;
	thread->row_samples = xcalloc(n_rows, sizeof(*thread->row_samples));
	return thread;
}

static int compare_threads(const void *a, const void *b)
{
	const struct sample_thread *x = a, *y = b;

	return ORDER(y->samples, x->samples) ?: ORDER(x->tid, y->tid);
}

void sample_threads_init(struct sample_threads *threads, const struct sampling *sampling,
			 const struct sample_table *table)
{
	const struct sampling_series *series = &sampling->series[0];

	*threads = (struct sample_threads){0};
	for (size_t i = 0; i < series->n_samples; i++) {
		struct sample_thread *thread = find_thread(threads, series->samples[i].tid, table->n_rows);

		thread->samples++;
		thread->row_samples[table->row_of[0][i]]++;
	}
	if (threads->n_threads)
		qsort(threads->threads, threads->n_threads, sizeof(*threads->threads), compare_threads);
}
