#include "source/source.h"

#include <elfutils/libdwfl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/path.h"
#include "source/lines.h"
#include "source/name_map.h"
#include "source/symbols.h"
#include "source/vdso.h"

/* Limits of the debug information that is kept for the next process of a run. */
enum {
	KEPT_FILE_BYTES = 32 << 20, /* of one file */
	KEPT_BYTES = 64 << 20,	    /* of all files together */
};

struct segment { /* PT_LOAD */
	uint64_t offset_bytes, n_bytes, file_va;
};

struct source_file {
	UT_hash_handle hh;
	char *path;
	struct stat status; /* state of the file when it was read; all zero: it could not be read */
	struct segment *segments;
	size_t n_segments, segments_capacity;
	struct symbol_table symbols;
	bool has_read_lines;
	Dwfl *dwfl;	     /* owns the module that the lines refer to */
	struct lines *lines; /* NULL: none, or not read yet */
};

struct source {
	struct source_file *files;  /* hash by path */
	struct source_file *latest; /* caches the previous lookup, because most lookups repeat the file */
	struct name_map *maps;	    /* [n_maps] that the user named */
	size_t n_maps, maps_capacity;
	struct name_map generated; /* names of a just-in-time compiler */
	int32_t generated_pid;	   /* the process that has generated the code; 0: no names were read */
};

/* Finds a debug file by build ID or .gnu_debuglink. libdwfl would then ask the servers in DEBUGINFOD_URLS, but a
 * report must not wait for a network. errno 0 means to libdwfl that there is no debug file. */
static int find_debug_file(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base, const char *path,
			   const char *link, GElf_Word checksum, char **debug_path)
{
	static const char variable[] = "DEBUGINFOD_URLS";
	char *urls = getenv(variable) ? xstrdup(getenv(variable)) : NULL;
	int fd;

	unsetenv(variable);
	fd = dwfl_standard_find_debuginfo(module, userdata, name, base, path, link, checksum, debug_path);
	if (urls)
		setenv(variable, urls, true);
	free(urls);
	if (fd < 0)
		errno = 0;
	return fd;
}

/* Opens an ELF file at the addresses where it was linked. Returns NULL if it cannot be read. */
static Dwfl *open_file(const char *path, Dwfl_Module **module)
{
	static const Dwfl_Callbacks callbacks = {
		.find_debuginfo = find_debug_file,
		.section_address = dwfl_offline_section_address,
	};
	int fd = strcmp(path, VDSO_PATH) == 0 ? vdso_open() : -1;
	struct stat status;
	Dwfl *dwfl;

	/* Opening a FIFO would wait for a writer. */
	if (fd < 0 && (stat(path, &status) != 0 || !S_ISREG(status.st_mode)))
		return NULL;
	dwfl = dwfl_begin(&callbacks);
	dwfl_report_begin(dwfl);
	*module = dwfl_report_elf(dwfl, path, path, fd, 0, true);
	if (!*module && fd >= 0)
		close(fd);
	if (*module && dwfl_report_end(dwfl, NULL, NULL) == 0)
		return dwfl;
	dwfl_end(dwfl);
	return NULL;
}

static void read_segments(struct source_file *file, Elf *elf)
{
	size_t n_headers;
	GElf_Phdr header;

	if (elf_getphdrnum(elf, &n_headers) != 0)
		return;
	for (size_t i = 0; i < n_headers; i++)
		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_LOAD)
			*ARRAY_ADD(file, segments) = (struct segment){
				.offset_bytes = header.p_offset,
				.n_bytes = header.p_filesz,
				.file_va = header.p_vaddr,
			};
}

/* Returns the linked address of the file's first page, from which offsets in modules count. */
static uint64_t first_page(const struct source_file *file)
{
	uint64_t lowest = UINT64_MAX;

	for (size_t i = 0; i < file->n_segments; i++)
		if (file->segments[i].file_va < lowest)
			lowest = file->segments[i].file_va;
	return lowest & ~UINT64_C(4095);
}

static struct source_file *read_file(const char *path)
{
	struct source_file *file = xcalloc(1, sizeof(*file));
	Dwfl_Module *module;
	Dwfl *dwfl = open_file(path, &module);
	GElf_Addr bias;

	file->path = xstrdup(path);
	if (stat(path, &file->status) != 0)
		file->status = (struct stat){0};
	if (!dwfl)
		return file;
	read_segments(file, dwfl_module_getelf(module, &bias));
	file->symbols.module = path_file_name(file->path);
	file->symbols.module_va = first_page(file);
	symbols_read(module, &file->symbols);
	symbol_table_arrange(&file->symbols);
	dwfl_end(dwfl);
	return file;
}

static struct source_file *find_file(struct source *source, const char *path)
{
	struct source_file *file;

	if (source->latest && strcmp(source->latest->path, path) == 0)
		return source->latest;
	HASH_FIND_STR(source->files, path, file);
	if (!file) {
		file = read_file(path);
		HASH_ADD_KEYPTR(hh, source->files, file->path, strlen(file->path), file);
	}
	source->latest = file;
	return file;
}

struct source *source_create(void)
{
	return xcalloc(1, sizeof(struct source));
}

static void forget_lines(struct source_file *file)
{
	lines_destroy(file->lines);
	dwfl_end(file->dwfl);
	file->lines = NULL;
	file->dwfl = NULL;
	file->has_read_lines = false;
}

static void drop_file(struct source *source, struct source_file *file)
{
	if (source->latest == file)
		source->latest = NULL;
	HASH_DEL(source->files, file);
	forget_lines(file);
	symbol_table_deinit(&file->symbols);
	free(file->segments);
	free(file->path);
	free(file);
}

void source_drop_changed(struct source *source)
{
	struct source_file *file, *next;

	HASH_ITER (hh, source->files, file, next) {
		const struct stat *before = &file->status;
		struct stat now = {0};

		if (stat(file->path, &now) != 0)
			now = (struct stat){0};
		if (now.st_dev != before->st_dev || now.st_ino != before->st_ino ||
		    now.st_mtim.tv_sec != before->st_mtim.tv_sec || now.st_mtim.tv_nsec != before->st_mtim.tv_nsec)
			drop_file(source, file);
	}
}

void source_destroy(struct source *source)
{
	struct source_file *file, *next;

	if (!source)
		return;
	HASH_ITER (hh, source->files, file, next)
		drop_file(source, file);
	for (size_t i = 0; i < source->n_maps; i++)
		name_map_deinit(&source->maps[i]);
	free(source->maps);
	name_map_deinit(&source->generated);
	free(source);
}

const char *source_find_function(struct source *source, const char *path, uint64_t file_va, uint64_t *offset)
{
	return symbol_table_find(&find_file(source, path)->symbols, file_va, offset);
}

bool source_add_map(struct source *source, const char *path, struct error *err)
{
	struct name_map map;

	if (!name_map_read(&map, path, err))
		return false;
	*ARRAY_ADD(source, maps) = map;
	return true;
}

const char *source_find_name(struct source *source, const struct source_address *address, uint64_t *offset)
{
	for (size_t i = 0; i < source->n_maps; i++) {
		const struct name_map *map = &source->maps[i];
		const char *name = NULL;

		if (map->is_run_time)
			name = symbol_table_find(&map->table, address->va, offset);
		else if (address->is_program)
			name = symbol_table_find(&map->table, address->file_va, offset);
		if (name)
			return name;
	}
	return address->path ? source_find_function(source, address->path, address->file_va, offset) : NULL;
}

const struct symbol_table *source_generated(struct source *source, int32_t pid)
{
	struct error ignored = {0};
	char path[64];

	if (pid != source->generated_pid) {
		source->generated_pid = pid;
		name_map_deinit(&source->generated);
		snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)pid);
		if (access(path, R_OK) == 0)
			name_map_read(&source->generated, path, &ignored);
	}
	return &source->generated.table;
}

const char *source_find_generated(struct source *source, int32_t pid, uint64_t va, uint64_t *offset)
{
	return symbol_table_find(source_generated(source, pid), va, offset);
}

void source_visit_program_maps(const struct source *source, void (*visit)(void *, const struct symbol_table *),
			       void *context)
{
	for (size_t i = 0; i < source->n_maps; i++)
		if (!source->maps[i].is_run_time)
			visit(context, &source->maps[i].table);
}

const struct symbol_table *source_symbols(struct source *source, const char *path)
{
	return &find_file(source, path)->symbols;
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

struct lines *source_lines(struct source *source, const char *path)
{
	struct source_file *file = find_file(source, path);
	Dwfl_Module *module;

	if (!file->has_read_lines) {
		file->has_read_lines = true;
		file->dwfl = open_file(path, &module);
		file->lines = file->dwfl ? lines_create(module) : NULL;
	}
	return file->lines;
}

bool source_find_line(struct source *source, const char *path, uint64_t file_va, struct source_line *line)
{
	struct lines *lines = source_lines(source, path);

	return lines && lines_find(lines, file_va, line);
}

void source_release_lines(struct source *source, const char *path)
{
	struct source_file *released = find_file(source, path), *file, *next;
	uint64_t n_kept_bytes = 0;

	HASH_ITER (hh, source->files, file, next)
		n_kept_bytes += lines_file_bytes(file->lines);
	if (lines_file_bytes(released->lines) > KEPT_FILE_BYTES || n_kept_bytes > KEPT_BYTES)
		forget_lines(released);
}
