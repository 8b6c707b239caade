#include "source/dwarf_file.h"

#include <dwarf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/hash.h"
#include "source/debug_file.h"
#include "source/dwarf_paths.h"
#include "source/dwarf_text.h"
#include "source/dwarf_unit.h"

/* Entries and ranges that are looked at: a byte of the file is hardly ever part of more than one. */
#define MIN_WORK ((size_t)4 << 20) /* for what is in further files */
#define WORK_PER_BYTE 2

#define MAX_UNITS ((size_t)1 << 20)

/* A section that is compressed may announce any size: real ones shrink to a third. */
#define MAX_EXPANSION 64

/* Inlined calls in each other that are told of, the outermost ones first. */
#define MAX_CALLS 256

struct path_entry {
	UT_hash_handle hh;
	const char *raw; /* as a unit's table of files has it; each pointer is of one unit */
	char *clean;
};

struct dwarf_file {
	int fd;
	Elf *elf;
	Dwarf *dwarf;
	struct dwarf_unit *units;
	size_t n_units, units_capacity;
	struct spans spans; /* of the units, by index */
	size_t work_left;
	struct path_entry *paths; /* hash by the pointer raw */
	struct source_call calls[MAX_CALLS];
};

static Elf *open_elf(int fd)
{
	struct stat status;

	elf_version(EV_CURRENT);
	return fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
}

static bool has_lines(Elf *elf)
{
	Elf_Scn *section = NULL;
	size_t names;
	bool found = false;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return false;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		GElf_Chdr compressed;
		const char *name;

		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		if ((header.sh_flags & SHF_COMPRESSED) &&
		    (!gelf_getchdr(section, &compressed) || compressed.ch_size / MAX_EXPANSION > header.sh_size))
			return false;
		name = elf_strptr(elf, names, header.sh_name);
		found |= name && (strcmp(name, ".debug_line") == 0 || strcmp(name, ".zdebug_line") == 0);
	}
	return found;
}

/* Of the file and of that which it shares with others; those of .dwo files are looked at with their units. */
static bool is_sound(struct dwarf_file *file)
{
	Dwarf *alt;

	if (!dwarf_text_sections_are_sound(file->dwarf) || !dwarf_paths_alt_is_safe(file->dwarf, file->fd))
		return false;
	alt = dwarf_getalt(file->dwarf);
	return !alt || dwarf_text_sections_are_sound(alt);
}

static size_t file_bytes(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && status.st_size > 0 ? (size_t)status.st_size : 0;
}

/* Opens what has line tables. */
static bool open_files(struct dwarf_file *file, const char *path)
{
	Elf *program;
	int debug_fd;

	file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	program = open_elf(file->fd);
	if (!program)
		return false;
	file->elf = program;
	if (has_lines(program))
		return true;
	debug_fd = debug_file_open(path, program);
	elf_end(program);
	close(file->fd);
	file->fd = debug_fd;
	file->elf = open_elf(debug_fd);
	return file->elf && has_lines(file->elf);
}

static void read_all(struct dwarf_file *file, struct dwarf_unit *unit)
{
	if (unit->is_read)
		return;
	if (unit->is_split)
		unit->is_split = dwarf_text_root_is_sound(&unit->die) &&
				 dwarf_paths_split_is_safe(&unit->die, file->fd);
	dwarf_unit_read(unit, &file->work_left);
}

static void read_unit(struct dwarf_file *file, Dwarf_CU *cu, Dwarf_Half version)
{
	struct dwarf_unit *unit;
	uint8_t unit_type;
	Dwarf_Die die;
	uint32_t index = (uint32_t)file->n_units;
	size_t n_spans = file->spans.n_spans;

	if (version < 2 || dwarf_cu_info(cu, NULL, &unit_type, &die, NULL, NULL, NULL, NULL) != 0)
		return;
	if (unit_type != DW_UT_compile && unit_type != DW_UT_skeleton && unit_type != DW_UT_partial)
		return;
	unit = ARRAY_ADD(file, units);
	*unit = (struct dwarf_unit){.die = die, .is_split = unit_type == DW_UT_skeleton};
	dwarf_unit_add_ranges(&unit->die, index, 0, &file->spans, &file->work_left);
	/* Strict DWARF 2 has no DW_AT_ranges: what is in further sections is in the line table only. */
	if (unit_type != DW_UT_partial &&
	    (file->spans.n_spans == n_spans || (version == 2 && !dwarf_hasattr(&unit->die, DW_AT_ranges)))) {
		dwarf_unit_read_lines(unit, &file->work_left);
		dwarf_unit_add_line_ranges(unit, index, &file->spans, &file->work_left);
	}
}

static void read_units(struct dwarf_file *file)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Half version;

	while (file->n_units < MAX_UNITS && file->work_left > 0 &&
	       dwarf_get_units(file->dwarf, cu, &cu, &version, NULL, NULL, NULL) == 0) {
		file->work_left--;
		read_unit(file, cu, version);
	}
	spans_arrange(&file->spans);
}

struct dwarf_file *dwarf_file_create(const char *path)
{
	struct dwarf_file *file = xcalloc(1, sizeof(*file));

	if (open_files(file, path)) {
		file->work_left = MIN_WORK + WORK_PER_BYTE * file_bytes(file->fd);
		file->dwarf = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
	}
	if (!file->dwarf || !is_sound(file)) {
		dwarf_file_destroy(file);
		return NULL;
	}
	read_units(file);
	return file;
}

void dwarf_file_destroy(struct dwarf_file *file)
{
	struct path_entry *entry, *next;

	if (!file)
		return;
	for (size_t i = 0; i < file->n_units; i++)
		dwarf_unit_deinit(&file->units[i]);
	HASH_ITER (hh, file->paths, entry, next) {
		HASH_DEL(file->paths, entry);
		free(entry->clean);
		free(entry);
	}
	free(file->units);
	spans_deinit(&file->spans);
	dwarf_end(file->dwarf);
	elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
	free(file);
}

static const char *clean_path(struct dwarf_file *file, const struct dwarf_unit *unit, const char *raw)
{
	struct path_entry *entry;

	if (!raw)
		return NULL;
	HASH_FIND_PTR(file->paths, &raw, entry);
	if (!entry) {
		entry = xcalloc(1, sizeof(*entry));
		entry->raw = raw;
		entry->clean = dwarf_paths_join(dwarf_unit_folder(unit), raw);
		HASH_ADD_PTR(file->paths, raw, entry);
	}
	return entry->clean;
}

static const char *call_file(struct dwarf_file *file, const struct dwarf_unit *unit, const struct dwarf_scope *scope)
{
	if (!unit->files || scope->call_file >= unit->n_files || scope->call_line == 0)
		return NULL;
	return clean_path(file, unit, dwarf_filesrc(unit->files, scope->call_file, NULL, NULL));
}

/* From the innermost call outwards, and put the other way round. */
static void find_calls(struct dwarf_file *file, struct dwarf_unit *unit, uint32_t index, struct source_line *line)
{
	uint32_t depth = 0;

	if (index == SPAN_NONE)
		return;
	for (uint32_t i = index; unit->scopes[i].caller != SPAN_NONE; i = unit->scopes[i].caller)
		depth++;
	for (uint32_t i = index; unit->scopes[i].caller != SPAN_NONE; i = unit->scopes[i].caller) {
		const struct dwarf_scope *scope = &unit->scopes[i];
		struct source_call *call = &file->calls[--depth < MAX_CALLS ? depth : MAX_CALLS - 1];

		if (depth >= MAX_CALLS)
			continue;
		call->function = dwarf_unit_scope_name(unit, i);
		call->file = call_file(file, unit, scope);
		call->line = call->file ? scope->call_line : 0;
		call->column = call->file ? scope->call_column : 0;
		line->n_calls++;
	}
	line->calls = file->calls;
}

bool dwarf_file_find(struct dwarf_file *file, uint64_t file_va, struct source_line *line)
{
	uint32_t index = spans_find(&file->spans, file_va);
	struct source_line found = {0};
	struct dwarf_unit *unit;
	const char *raw;

	if (index == SPAN_NONE)
		return false;
	unit = &file->units[index];
	read_all(file, unit);
	if (dwarf_unit_find_line(unit, file_va, &raw, &found))
		found.file = clean_path(file, unit, raw);
	find_calls(file, unit, spans_find(&unit->spans, file_va), &found);
	if (!found.file && found.n_calls == 0)
		return false;
	*line = found;
	return true;
}
