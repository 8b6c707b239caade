/* Looks up lines and inlined calls. The input is an ELF file; its first loaded addresses are looked up. Any valid
 * answer is accepted. */
#include "fuzz.h"

#include <assert.h>
#include <elf.h>
#include <string.h>

#include "source/source.h"

#define N_SEGMENTS 4
#define N_ADDRESSES 256

static void ask(struct source *source, const char *path, uint64_t file_va)
{
	struct source_line line;

	if (!source_find_line(source, path, file_va, &line))
		return;
	assert(line.file || line.n_calls > 0);
	assert(!line.file == (line.line == 0));
	assert(!line.file || strlen(line.file) < (1 << 20));
	for (size_t i = 0; i < line.n_calls; i++) {
		assert(line.calls[i].function && strlen(line.calls[i].function) < (1 << 20));
		assert(!line.calls[i].file == (line.calls[i].line == 0));
	}
}

static uint64_t segment_va(const uint8_t *data, size_t size, size_t index)
{
	Elf64_Ehdr header;
	Elf64_Phdr segment;

	if (size < sizeof(header))
		return 0;
	memcpy(&header, data, sizeof(header));
	if (header.e_phoff > size || size - header.e_phoff < (index + 1) * sizeof(segment))
		return 0;
	memcpy(&segment, data + header.e_phoff + index * sizeof(segment), sizeof(segment));
	return segment.p_vaddr;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct source *source = source_create();
	struct fuzz_file file;

	fuzz_file_open(&file, data, size);
	for (size_t i = 0; i < N_SEGMENTS; i++) {
		uint64_t start_va = segment_va(data, size, i);

		for (uint64_t k = 0; k < N_ADDRESSES; k++)
			ask(source, file.path, start_va + k);
	}
	source_destroy(source);
	fuzz_file_close(&file);
	return 0;
}
