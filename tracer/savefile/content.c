#include "savefile/content.h"

#include <stdlib.h>

#include "base/array.h"

static void serialize_program(struct io *io, struct profile *profile)
{
	size_t n_args = 0, capacity;

	while (profile->argv && profile->argv[n_args])
		n_args++;
	profile->argv = io_rows(io, COLUMN_PROGRAM, profile->argv, &n_args, &capacity, sizeof(*profile->argv));
	if (io->is_reading) {
		profile->argv = xrealloc_array(profile->argv, n_args + 1, sizeof(*profile->argv));
		profile->argv[n_args] = NULL;
	}
	for (size_t i = 0; i < n_args; i++)
		IO_TEXT(io, COLUMN_PROGRAM, profile->argv[i]);
	IO_UINT(io, COLUMN_PROGRAM, profile->exited, 1);
	IO_INT(io, COLUMN_PROGRAM, profile->exit_status);
	IO_INT(io, COLUMN_PROGRAM, profile->signal);
	IO_TEXT(io, COLUMN_PROGRAM, profile->engine);
	IO_COUNT(io, COLUMN_PROGRAM, profile->wall_ns);
	IO_UINT(io, COLUMN_PROGRAM, profile->has_memory, 1);
	IO_UINT(io, COLUMN_PROGRAM, profile->has_calls, 1);
	IO_UINT(io, COLUMN_PROGRAM, profile->has_edges, 1);
	IO_UINT(io, COLUMN_PROGRAM, profile->has_paths, 1);
	IO_UINT(io, COLUMN_PROGRAM, profile->has_addresses, 1);
	/* For people who inspect a file. The reader ignores it. */
	io_text(io, COLUMN_PROGRAM, ITRACE_VERSION);
}

static void serialize_module(struct io *io, struct profile_module *module)
{
	IO_TEXT(io, COLUMN_MODULES, module->path);
	IO_UINT(io, COLUMN_MODULES, module->start_va, UINT64_MAX);
	IO_DIFFERENCE(io, COLUMN_MODULES, module->end_va, module->start_va);
	io_require(io, module->start_va <= module->end_va, "a module ends before it begins");
	IO_UINT(io, COLUMN_MODULES, module->bias, UINT64_MAX);
	IO_UINT(io, COLUMN_MODULES, module->n_build_id, PROFILE_MAX_BUILD_ID_BYTES);
	io_bytes(io, COLUMN_MODULES, module->build_id, module->n_build_id);
	IO_UINT(io, COLUMN_MODULES, module->is_program, 1);
}

static void serialize_function(struct io *io, struct profile *profile)
{
	IO_ROWS(io, COLUMN_FUNCTION_MODULE, profile, functions);
	for (size_t i = 0; i < profile->n_functions && !io->problem; i++) {
		struct profile_function *function = &profile->functions[i];

		IO_TEXT(io, COLUMN_FUNCTION_NAME, function->name);
		IO_INDEX(io, COLUMN_FUNCTION_MODULE, function->module, PROFILE_NONE, profile->n_modules);
	}
}

static void serialize_profile(struct io *io, struct profile *profile)
{
	serialize_program(io, profile);
	IO_ROWS(io, COLUMN_NOTES, profile, notes);
	for (size_t i = 0; i < profile->n_notes && !io->problem; i++)
		IO_TEXT(io, COLUMN_NOTES, profile->notes[i]);
	IO_ROWS(io, COLUMN_MODULES, profile, modules);
	for (size_t i = 0; i < profile->n_modules && !io->problem; i++)
		serialize_module(io, &profile->modules[i]);
	serialize_function(io, profile);
	content_serialize_sources(io, profile);
	content_serialize_insns(io, profile);
	content_serialize_paths(io, profile);
	IO_ROWS(io, COLUMN_CACHES, profile, caches);
	for (size_t i = 0; i < profile->n_caches && !io->problem; i++)
		IO_TEXT(io, COLUMN_CACHES, profile->caches[i]);
	IO_ROWS(io, COLUMN_THREADS, profile, threads);
	for (size_t i = 0; i < profile->n_threads && !io->problem; i++) {
		IO_TEXT(io, COLUMN_THREADS, profile->threads[i].name);
		IO_COUNT(io, COLUMN_THREADS, profile->threads[i].n_threads);
	}
	content_serialize_regions(io, profile);
}

uint8_t *content_write(const struct profile *profile, size_t *n_bytes, const char **problem)
{
	struct profile sorted;
	uint8_t *content;
	struct io io;

	sorted_init(&sorted, profile);
	io_begin_writing(&io);
	serialize_profile(&io, &sorted);
	content = io_end_writing(&io, n_bytes);
	sorted_deinit(&sorted);
	*problem = io.problem;
	if (!io.problem)
		return content;
	free(content);
	return NULL;
}

bool content_read(const uint8_t *content, size_t n_bytes, struct profile *profile, const char **problem)
{
	struct io io;

	io_begin_reading(&io, content, n_bytes);
	serialize_profile(&io, profile);
	io_end_reading(&io);
	*problem = io.problem;
	return !io.problem;
}
