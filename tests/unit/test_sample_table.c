#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/array.h"
#include "sampler/sampler.h"
#include "source/source.h"

static void add(struct sampling *sampling, int32_t tid, uint32_t module, uint64_t va, uint64_t offset_bytes,
		bool in_kernel)
{
	struct sample *sample = ARRAY_ADD(&sampling->series[0], samples);

	sample->tid = tid;
	sample->module = module;
	sample->va = va;
	sample->offset_bytes = offset_bytes;
	sample->in_kernel = in_kernel;
}

/* 3 samples in an unreadable library, 2 in the kernel, 2 in code of a just-in-time compiler, 1 in unmapped code. */
static void fill(struct sampling *sampling)
{
	uint32_t library, anonymous;

	sampling_init(sampling);
	ARRAY_ADD(sampling, series)->period_ns = 1000000;
	library = sampling_intern_module(sampling, "/nonexistent/libx.so");
	anonymous = sampling_intern_module(sampling, "");
	assert_int_equal(sampling_intern_module(sampling, "/nonexistent/libx.so"), library);
	add(sampling, 10, library, 0x7000, 0x100, false);
	add(sampling, 10, library, 0x7004, 0x104, false);
	add(sampling, 11, library, 0x7008, 0x108, false);
	add(sampling, 10, SAMPLING_NONE, 0, 0, true);
	add(sampling, 11, SAMPLING_NONE, 0, 0, true);
	add(sampling, 10, anonymous, 0x4000, 0, false);
	add(sampling, 10, anonymous, 0x401f, 0, false);
	add(sampling, 10, SAMPLING_NONE, 0x9000, 0, false);
}

static void add_compiler_map(struct source *source)
{
	static const char text[] = "4000 20 compiled\n";
	char path[] = "/tmp/sample-table-XXXXXX";
	int fd = mkstemp(path);
	struct error err = {0};

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	assert_true(source_add_map(source, path, &err));
	unlink(path);
}

static void assert_row(const struct sample_row *row, enum sample_row_kind kind, const char *name, const char *module,
		       uint64_t samples)
{
	assert_int_equal(row->kind, kind);
	assert_string_equal(row->name, name);
	assert_string_equal(row->module, module);
	assert_int_equal(row->samples[0], samples);
}

static void code_without_symbols_and_the_kernel_have_rows_of_their_own(void **state)
{
	struct source *source = source_create();
	struct sample_table table;
	struct sampling sampling;

	(void)state;
	fill(&sampling);
	add_compiler_map(source);
	sample_table_init(&table, &sampling, source, SAMPLING_BY_FUNCTION);
	assert_int_equal(table.n_rows, 4);
	assert_int_equal(table.totals[0], 8);
	assert_row(&table.rows[0], SAMPLE_ROW_UNNAMED, "libx.so", "libx.so", 3);
	assert_row(&table.rows[1], SAMPLE_ROW_KERNEL, "[kernel]", "", 2);
	assert_row(&table.rows[2], SAMPLE_ROW_NAMED, "compiled", "", 2);
	assert_row(&table.rows[3], SAMPLE_ROW_UNKNOWN, "[anonymous]", "", 1);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(table.row_of[0][i], i < 3 ? 0 : i < 5 ? 1 : i < 7 ? 2 : 3);
	assert_true(table.rows[0].low < 0.375 && table.rows[0].high > 0.375);
	sample_table_deinit(&table);
	sample_table_init(&table, &sampling, source, SAMPLING_BY_OBJECT);
	assert_int_equal(table.n_rows, 3);
	assert_row(&table.rows[0], SAMPLE_ROW_UNKNOWN, "[anonymous]", "", 3);
	assert_row(&table.rows[1], SAMPLE_ROW_NAMED, "libx.so", "libx.so", 3);
	assert_row(&table.rows[2], SAMPLE_ROW_KERNEL, "[kernel]", "", 2);
	sample_table_deinit(&table);
	sampling_deinit(&sampling);
	source_destroy(source);
}

/* The program is linked at 0x401000, which is offset 0x1000 in its file. */
static void code_of_a_file_is_named_by_its_symbols(void **state)
{
	struct source *source = source_create();
	struct sample_table table;
	struct sampling sampling;
	uint64_t offset = 0x1000, file_va, distance;
	const char *name;

	(void)state;
	sampling_init(&sampling);
	ARRAY_ADD(&sampling, series)->period_ns = 1000000;
	assert_true(source_find_va(source, HELPERS_DIR "/notes", offset, &file_va));
	assert_int_equal(file_va, 0x401000);
	assert_false(source_find_va(source, HELPERS_DIR "/notes", UINT64_MAX, &file_va));
	assert_false(source_find_va(source, "/nonexistent/libx.so", 0, &file_va));
	name = source_find_function(source, HELPERS_DIR "/notes", 0x401000, &distance);
	assert_non_null(name);
	add(&sampling, 10, sampling_intern_module(&sampling, HELPERS_DIR "/notes"), 0x401000, offset, false);
	sample_table_init(&table, &sampling, source, SAMPLING_BY_FUNCTION);
	assert_int_equal(table.n_rows, 1);
	assert_row(&table.rows[0], SAMPLE_ROW_NAMED, name, "notes", 1);
	sample_table_deinit(&table);
	sampling_deinit(&sampling);
	source_destroy(source);
}

static void threads_are_counted_apart(void **state)
{
	struct source *source = source_create();
	struct sample_threads threads;
	struct sample_table table;
	struct sampling sampling;

	(void)state;
	fill(&sampling);
	sample_table_init(&table, &sampling, source, SAMPLING_BY_OBJECT);
	sample_threads_init(&threads, &sampling, &table);
	assert_int_equal(threads.n_threads, 2);
	assert_int_equal(threads.threads[0].tid, 10);
	assert_int_equal(threads.threads[0].samples, 6);
	assert_int_equal(threads.threads[0].row_samples[0], 3);
	assert_int_equal(threads.threads[1].tid, 11);
	assert_int_equal(threads.threads[1].row_samples[1], 1);
	assert_int_equal(threads.threads[1].row_samples[2], 1);
	sample_threads_deinit(&threads);
	sample_table_deinit(&table);
	sampling_deinit(&sampling);
	source_destroy(source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_without_symbols_and_the_kernel_have_rows_of_their_own),
		cmocka_unit_test(code_of_a_file_is_named_by_its_symbols),
		cmocka_unit_test(threads_are_counted_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
