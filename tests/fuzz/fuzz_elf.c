/* Reads layout, build ID, markers, functions and symbols from ELF files. Each reader fails, or returns terminated
 * names and sorted addresses. */
#include "fuzz.h"

#include <assert.h>
#include <string.h>

#include "elf/file.h"
#include "source/source.h"

#define N_ADDRESSES 64

static bool any(const char *symbol, void *context)
{
	size_t *n_seen = context;

	assert(symbol);
	return (*n_seen)++ < 1000;
}

static void check_functions(const struct elf_file *elf)
{
	struct function_list list;
	size_t n_seen = 0;

	elf_file_functions_init(elf, any, &n_seen, &list);
	for (size_t i = 0; i < list.n_functions; i++) {
		assert(list.functions[i].symbol[0]);
		assert(i == 0 || list.functions[i - 1].file_va <= list.functions[i].file_va);
	}
	elf_file_functions_deinit(&list);
}

static void check_markers(const struct elf_file *elf)
{
	struct marker_list list;

	elf_file_markers_init(elf, &list);
	for (size_t i = 0; i < list.n_markers; i++)
		assert(list.markers[i].region);
	elf_file_markers_deinit(&list);
}

static void check_segments(const struct elf_file *elf)
{
	size_t n_segments, n_bytes;
	const struct elf_segment *segments = elf_file_segments(elf, &n_segments);
	uint64_t bias;

	for (size_t i = 0; i < n_segments; i++)
		elf_file_bias(elf, 0x7f0000000000 + segments[i].file_va, segments[i].offset_bytes, &bias);
	assert(!elf_file_build_id(elf, &n_bytes) == (n_bytes == 0));
	assert(!elf_file_interpreter(elf) || strlen(elf_file_interpreter(elf)) < 4096);
}

static void check_names(const char *path, uint64_t file_va)
{
	struct source *source = source_create();
	uint64_t offset;

	for (uint64_t i = 0; i < N_ADDRESSES; i++) {
		const char *name = source_find_function(source, path, file_va + 16 * i, &offset);

		assert(!name || (name[0] && strlen(name) < (1 << 20)));
	}
	source_destroy(source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = {0};
	struct fuzz_file file;
	struct elf_file *elf;

	fuzz_file_open(&file, data, size);
	elf = elf_file_open_any(file.path, &err);
	if (elf) {
		check_segments(elf);
		check_markers(elf);
		check_functions(elf);
		check_names(file.path, elf_file_entry(elf) & ~(uint64_t)0xff);
	} else {
		assert(err.kind && err.text[0]);
	}
	elf_file_close(elf);
	fuzz_file_close(&file);
	return 0;
}
