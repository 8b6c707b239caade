#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/hash.h"
#include "source/debug_file.h"
#include "source/dwarf_file.h"
#include "source/elf_symbols.h"
#include "source/source.h"
#include "source/symbol_table.h"

struct segment { /* PT_LOAD */
	uint64_t offset_bytes, n_bytes, file_va;
};

struct source_file {
	char *path;
	struct segment *segments;
	size_t n_segments, segments_capacity;
	Elf *program, *debug; /* hold the names of the symbols; NULL where not readable or not installed */
	struct symbol_table table;
	bool has_read_dwarf;
	struct dwarf_file *dwarf; /* NULL: none, or not asked for */
	UT_hash_handle hh;
};

struct source {
	struct source_file *files;  /* hash by path */
	struct source_file *latest; /* most questions are about the same file as the one before */
};

static Elf *open_elf(int fd)
{
	struct stat status;

	elf_version(EV_CURRENT);
	return fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
}

/* All that is needed later was read: the descriptor need not stay open as long as the symbols do. */
static void close_descriptor(Elf *elf, int fd)
{
	if (elf)
		elf_cntl(elf, ELF_C_FDDONE);
	if (fd >= 0)
		close(fd);
}

static void read_debug_file(struct source_file *file)
{
	int fd = debug_file_open(file->path, file->program);

	file->debug = open_elf(fd);
	if (file->debug)
		elf_symbols_read(file->debug, SHT_SYMTAB, &file->table);
	close_descriptor(file->debug, fd);
}

static void read_segments(struct source_file *file)
{
	size_t n_headers;

	if (elf_getphdrnum(file->program, &n_headers) != 0)
		return;
	for (size_t i = 0; i < n_headers; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(file->program, (int)i, &header) || header.p_type != PT_LOAD)
			continue;
		*ARRAY_ADD(file, segments) = (struct segment){.offset_bytes = header.p_offset,
							      .n_bytes = header.p_filesz,
							      .file_va = header.p_vaddr};
	}
}

static void read_file(struct source_file *file)
{
	int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	file->program = open_elf(fd);
	if (file->program) {
		elf_symbols_read(file->program, SHT_DYNSYM, &file->table);
		if (!elf_symbols_read(file->program, SHT_SYMTAB, &file->table))
			read_debug_file(file);
		elf_symbols_read_plt(file->program, &file->table);
		read_segments(file);
		symbol_table_arrange(&file->table);
	}
	close_descriptor(file->program, fd);
}

static struct source_file *find_file(struct source *source, const char *path)
{
	struct source_file *file;

	if (source->latest && strcmp(source->latest->path, path) == 0)
		return source->latest;
	HASH_FIND_STR(source->files, path, file);
	if (!file) {
		file = xcalloc(1, sizeof(*file));
		file->path = xstrdup(path);
		read_file(file);
		HASH_ADD_KEYPTR(hh, source->files, file->path, strlen(file->path), file);
	}
	source->latest = file;
	return file;
}

struct source *source_create(void)
{
	return xcalloc(1, sizeof(struct source));
}

void source_destroy(struct source *source)
{
	struct source_file *file, *next;

	if (!source)
		return;
	HASH_ITER (hh, source->files, file, next) {
		HASH_DEL(source->files, file);
		symbol_table_deinit(&file->table);
		dwarf_file_destroy(file->dwarf);
		elf_end(file->program);
		elf_end(file->debug);
		free(file->segments);
		free(file->path);
		free(file);
	}
	free(source);
}

bool source_find_function(struct source *source, const char *path, uint64_t file_va, char *name, size_t name_bytes,
			  uint64_t *offset)
{
	struct symbol *symbol = symbol_table_find(&find_file(source, path)->table, file_va);

	if (!symbol)
		return false;
	snprintf(name, name_bytes, "%s", symbol_shown(symbol));
	*offset = file_va - symbol->start_va;
	return true;
}

bool source_find_va(struct source *source, const char *path, uint64_t offset_bytes, uint64_t *file_va)
{
	const struct source_file *file = find_file(source, path);

	for (size_t i = 0; i < file->n_segments; i++) {
		const struct segment *segment = &file->segments[i];

		if (offset_bytes < segment->offset_bytes || offset_bytes - segment->offset_bytes >= segment->n_bytes)
			continue;
		*file_va = segment->file_va + (offset_bytes - segment->offset_bytes);
		return true;
	}
	return false;
}

bool source_find_line(struct source *source, const char *path, uint64_t file_va, struct source_line *line)
{
	struct source_file *file = find_file(source, path);

	if (!file->has_read_dwarf) {
		file->has_read_dwarf = true;
		file->dwarf = dwarf_file_create(path);
	}
	return file->dwarf && dwarf_file_find(file->dwarf, file_va, line);
}

void source_forget_lines(struct source *source, const char *path)
{
	struct source_file *file = find_file(source, path);

	dwarf_file_destroy(file->dwarf);
	file->dwarf = NULL;
	file->has_read_dwarf = false;
}
