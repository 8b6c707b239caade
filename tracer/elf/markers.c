#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/order.h"
#include "elf/private.h"

/* The format of the notes: https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation */
#define NOTE_SECTION ".note.stapsdt"
#define NOTE_OWNER "stapsdt"
#define NOTE_TYPE 3
#define BASE_SECTION ".stapsdt.base"
#define PROVIDER "itrace"
#define SCOPE_PROVIDER "itrace_scope"

#define OPCODE_NOP 0x90

struct note_addresses { /* the first part of a note's descriptor */
	uint64_t pc_va, base_va, semaphore_va;
};

struct marker_search {
	const struct elf_file *file;
	struct marker_list *list;
	uint64_t base_va; /* of .stapsdt.base; 0: there is none */
};

static bool is_nop(const struct elf_file *file, uint64_t file_va)
{
	const struct elf_segment *segment = elf_file_code_segment(file, file_va);
	uint8_t opcode;

	return segment &&
	       pread(file->fd, &opcode, 1, (off_t)(segment->offset_bytes + (file_va - segment->file_va))) == 1 &&
	       opcode == OPCODE_NOP;
}

/* Splits "begin__REGION" or "begin". */
static bool parse_probe_name(const char *name, enum marker_kind *kind, const char **region)
{
	if (strncmp(name, "begin", 5) == 0) {
		*kind = MARKER_BEGIN;
		name += 5;
	} else if (strncmp(name, "end", 3) == 0) {
		*kind = MARKER_END;
		name += 3;
	} else {
		return false;
	}
	if (*name == '\0') {
		*region = name;
		return true;
	}
	*region = name + 2;
	return strncmp(name, "__", 2) == 0;
}

/* Reads a note's descriptor: addresses, then the provider's name, the probe's name and the arguments, each NUL-
 * terminated. */
static void read_probe(struct marker_search *search, const char *content, size_t n_bytes)
{
	const char *provider = content + sizeof(struct note_addresses), *name, *region;
	size_t provider_bytes;
	struct note_addresses addresses;
	struct marker *marker;
	enum marker_kind kind;
	size_t left, name_bytes;

	if (n_bytes < sizeof(addresses))
		return;
	left = n_bytes - sizeof(addresses);
	provider_bytes = strnlen(provider, left) + 1;
	if (provider_bytes > left || (strcmp(provider, PROVIDER) != 0 && strcmp(provider, SCOPE_PROVIDER) != 0))
		return;
	name = provider + provider_bytes;
	left -= provider_bytes;
	name_bytes = strnlen(name, left);
	if (name_bytes == left || name_bytes > ELF_MAX_REGION_NAME_BYTES || !parse_probe_name(name, &kind, &region))
		return;
	if (strcmp(provider, SCOPE_PROVIDER) == 0)
		kind = kind == MARKER_BEGIN ? MARKER_SCOPE_BEGIN : MARKER_SCOPE_END;
	memcpy(&addresses, content, sizeof(addresses));
	if (search->base_va && addresses.base_va)
		addresses.pc_va += search->base_va - addresses.base_va;
	/* The linker keeps the notes of code that it dropped. Their addresses are small, or inside unrelated code. */
	if (!is_nop(search->file, addresses.pc_va))
		return;
	marker = ARRAY_ADD(search->list, markers);
	marker->file_va = addresses.pc_va;
	marker->kind = kind;
	marker->region = xstrdup(region);
}

static void read_notes(struct marker_search *search, Elf_Data *data)
{
	size_t offset = 0, name_offset, content_offset;
	const char *bytes;
	GElf_Nhdr note;

	if (!data || !data->d_buf)
		return;
	bytes = data->d_buf;
	while (search->list->n_markers < ELF_MAX_MARKERS &&
	       (offset = gelf_getnote(data, offset, &note, &name_offset, &content_offset)) > 0) {
		if (note.n_type == NOTE_TYPE && note.n_namesz == sizeof(NOTE_OWNER) &&
		    memcmp(bytes + name_offset, NOTE_OWNER, sizeof(NOTE_OWNER)) == 0)
			read_probe(search, bytes + content_offset, note.n_descsz);
	}
}

/* Returns false if the file has no section headers. */
static bool search_sections(struct marker_search *search)
{
	uint64_t budget_bytes = ELF_NOTES_BUDGET_BYTES;
	struct elf_section section = {0};
	Elf *elf = search->file->elf;

	if (!elf_section_next(elf, SHT_NULL, NULL, &section))
		return false;
	section = (struct elf_section){0};
	while (elf_section_next(elf, SHT_NULL, BASE_SECTION, &section))
		search->base_va = section.header.sh_addr;
	while (elf_section_next(elf, SHT_NOTE, NOTE_SECTION, &section))
		read_notes(search, elf_file_section_data(&section, &budget_bytes));
	return true;
}

/* Reads notes from segments if the section headers were stripped. Only some linker scripts put notes into a segment. */
static void search_segments(struct marker_search *search)
{
	uint64_t budget_bytes = ELF_NOTES_BUDGET_BYTES;
	Elf *elf = search->file->elf;
	size_t n_headers = 0;
	GElf_Phdr header;

	elf_getphdrnum(elf, &n_headers);
	for (size_t i = 0; i < n_headers; i++) {
		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_NOTE || header.p_filesz > budget_bytes)
			continue;
		budget_bytes -= header.p_filesz;
		read_notes(search, elf_getdata_rawchunk(elf, (int64_t)header.p_offset, header.p_filesz,
							header.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR));
	}
}

static int compare_markers(const void *left, const void *right)
{
	const struct marker *a = *(const struct marker *const *)left, *b = *(const struct marker *const *)right;

	return ORDER(a->file_va, b->file_va) ?: ORDER(a->kind, b->kind) ?: strcmp(a->region, b->region) ?: ORDER(a, b);
}

/* If the linker has merged equal functions (lld, gold: --icf), several notes are equal. */
static void drop_duplicates(struct marker_list *list)
{
	struct marker **sorted = xcalloc(list->n_markers, sizeof(struct marker *)), *first = NULL;
	size_t n_kept = 0;

	for (size_t i = 0; i < list->n_markers; i++)
		sorted[i] = &list->markers[i];
	qsort(sorted, list->n_markers, sizeof(struct marker *), compare_markers);
	for (size_t i = 0; i < list->n_markers; i++) {
		struct marker *marker = sorted[i];

		if (!first || first->file_va != marker->file_va || first->kind != marker->kind ||
		    strcmp(first->region, marker->region) != 0) {
			first = marker;
			continue;
		}
		free(marker->region);
		marker->region = NULL;
	}
	free(sorted);
	for (size_t i = 0; i < list->n_markers; i++)
		if (list->markers[i].region)
			list->markers[n_kept++] = list->markers[i];
	list->n_markers = n_kept;
}

void elf_file_markers_init(const struct elf_file *file, struct marker_list *list)
{
	struct marker_search search = {.file = file, .list = list};

	*list = (struct marker_list){0};
	if (!search_sections(&search))
		search_segments(&search);
	drop_duplicates(list);
}

void elf_file_markers_deinit(struct marker_list *list)
{
	for (size_t i = 0; i < list->n_markers; i++)
		free(list->markers[i].region);
	free(list->markers);
	*list = (struct marker_list){0};
}
