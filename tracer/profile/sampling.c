#include "profile/sampling.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void sampling_init(struct sampling *sampling)
{
	*sampling = (struct sampling){.method = "", .program = SAMPLING_NONE};
}

void sampling_deinit(struct sampling *sampling)
{
	for (size_t i = 0; sampling->argv && sampling->argv[i]; i++)
		free(sampling->argv[i]);
	free(sampling->argv);
	for (size_t i = 0; i < sampling->n_modules; i++)
		free(sampling->modules[i].path);
	free(sampling->modules);
	for (size_t i = 0; i < sampling->n_series; i++)
		free(sampling->series[i].samples);
	free(sampling->series);
	for (size_t i = 0; i < sampling->n_notes; i++)
		free(sampling->notes[i]);
	free(sampling->notes);
	*sampling = (struct sampling){0};
}

uint32_t sampling_intern_module(struct sampling *sampling, const char *path)
{
	for (size_t i = 0; i < sampling->n_modules; i++)
		if (strcmp(sampling->modules[i].path, path) == 0)
			return (uint32_t)i;
	ARRAY_ADD(sampling, modules)->path = xstrdup(path);
	return (uint32_t)(sampling->n_modules - 1);
}

void sampling_note(struct sampling *sampling, const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	*ARRAY_ADD(sampling, notes) = xstrdup(text);
}

void sample_table_deinit(struct sample_table *table)
{
	for (size_t i = 0; i < table->n_rows; i++) {
		free(table->rows[i].name);
		free(table->rows[i].module);
		free(table->rows[i].samples);
	}
	free(table->rows);
	free(table->totals);
	for (size_t s = 0; table->row_of && s < table->n_series; s++)
		free(table->row_of[s]);
	free(table->row_of);
	*table = (struct sample_table){0};
}

void sample_threads_deinit(struct sample_threads *threads)
{
	for (size_t i = 0; i < threads->n_threads; i++)
		free(threads->threads[i].row_samples);
	free(threads->threads);
	*threads = (struct sample_threads){0};
}

void sample_verdict_deinit(struct sample_verdict *verdict)
{
	free(verdict->trials);
	free(verdict->moves);
	*verdict = (struct sample_verdict){0};
}

void sample_check_deinit(struct sample_check *check)
{
	for (size_t i = 0; i < check->n_rows; i++) {
		free(check->rows[i].name);
		free(check->rows[i].module);
	}
	free(check->rows);
	free(check->model);
	*check = (struct sample_check){0};
}
