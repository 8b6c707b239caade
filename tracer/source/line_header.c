#include "source/line_header.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Kinds of values in an entry of a table of folders or files. Compilers have 1 to 3. */
#define MAX_KINDS 16

/* Offsets into sections of strings have 4 bytes, or 8 in the 64-bit format. */
struct reader {
	const uint8_t *at, *end;
	size_t offset_bytes;
	bool failed;
};

static const uint8_t *take(struct reader *reader, uint64_t n_bytes)
{
	const uint8_t *bytes = reader->at;

	if (reader->failed || n_bytes > (uint64_t)(reader->end - reader->at)) {
		reader->failed = true;
		return NULL;
	}
	reader->at += n_bytes;
	return bytes;
}

static uint64_t take_number(struct reader *reader, size_t n_bytes)
{
	const uint8_t *bytes = take(reader, n_bytes);
	uint64_t value = 0;

	if (bytes)
		memcpy(&value, bytes, n_bytes);
	return value;
}

static uint64_t take_uleb(struct reader *reader)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint64_t byte = take_number(reader, 1);

		value |= (byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	reader->failed = true;
	return 0;
}

static void skip_value(struct reader *reader, uint64_t form)
{
	const uint8_t *end;

	switch (form) {
	case DW_FORM_string:
		end = memchr(reader->at, '\0', (size_t)(reader->end - reader->at));
		take(reader, end ? (uint64_t)(end - reader->at) + 1 : UINT64_MAX);
		break;
	case DW_FORM_line_strp:
	case DW_FORM_strp:
	case DW_FORM_sec_offset:
		take(reader, reader->offset_bytes);
		break;
	case DW_FORM_udata:
	case DW_FORM_strx:
		take_uleb(reader);
		break;
	case DW_FORM_data1:
		take(reader, 1);
		break;
	case DW_FORM_data2:
		take(reader, 2);
		break;
	case DW_FORM_data4:
		take(reader, 4);
		break;
	case DW_FORM_data8:
		take(reader, 8);
		break;
	case DW_FORM_data16:
		take(reader, 16);
		break;
	case DW_FORM_block:
		take(reader, take_uleb(reader));
		break;
	default:
		reader->failed = true;
	}
}

/* A table of folders or files: sums, if wanted, of those that have one. */
static void read_table(struct reader *reader, struct line_header *header)
{
	struct {
		uint64_t content, form;
	} kinds[MAX_KINDS];
	uint64_t n_kinds = take_number(reader, 1), n_entries;
	bool has_md5 = false;

	if (n_kinds > MAX_KINDS)
		reader->failed = true;
	for (uint64_t i = 0; i < n_kinds && !reader->failed; i++) {
		kinds[i].content = take_uleb(reader);
		kinds[i].form = take_uleb(reader);
		has_md5 |= kinds[i].content == DW_LNCT_MD5 && kinds[i].form == DW_FORM_data16;
	}
	n_entries = take_uleb(reader);
	if (n_kinds == 0)
		n_entries = 0;
	if (n_entries > (uint64_t)(reader->end - reader->at))
		reader->failed = true;
	if (header && has_md5 && !reader->failed) {
		header->md5 = xcalloc(n_entries, sizeof(*header->md5));
		header->n_md5 = n_entries;
	}
	for (uint64_t i = 0; i < n_entries && !reader->failed; i++) {
		for (uint64_t k = 0; k < n_kinds; k++) {
			const uint8_t *value = reader->at;

			skip_value(reader, kinds[k].form);
			if (header && !reader->failed && kinds[k].content == DW_LNCT_MD5 &&
			    kinds[k].form == DW_FORM_data16)
				memcpy(header->md5[i], value, LINE_HEADER_MD5_BYTES);
		}
	}
}

void line_header_parse(struct line_header *header, const uint8_t *bytes, size_t n_bytes)
{
	struct reader reader = {.at = bytes, .end = bytes + n_bytes, .offset_bytes = 4};
	uint64_t length, opcode_base;

	*header = (struct line_header){0};
	length = take_number(&reader, 4);
	if (length == UINT32_MAX) {
		reader.offset_bytes = 8;
		length = take_number(&reader, 8);
	}
	if (reader.failed)
		return;
	header->n_bytes = length < n_bytes ? length : n_bytes;
	if (take_number(&reader, 2) != 5)
		return;
	take(&reader, 2 + reader.offset_bytes + 5); /* sizes, length of the header, parameters of the line program */
	opcode_base = take_number(&reader, 1);
	take(&reader, opcode_base > 0 ? opcode_base - 1 : 0);
	read_table(&reader, NULL);
	read_table(&reader, header);
	if (reader.failed)
		line_header_deinit(header);
}

static Elf_Data *find_section(Elf *elf)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		const char *name;
		GElf_Shdr header;

		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (name && (strcmp(name, ".debug_line") == 0 || strcmp(name, ".zdebug_line") == 0))
			return elf_getdata(section, NULL);
	}
	return NULL;
}

void line_header_init(struct line_header *header, Dwarf_Die *root)
{
	Dwarf_Attribute attribute;
	Dwarf_Word offset;
	Elf_Data *data;

	*header = (struct line_header){0};
	if (!dwarf_attr(root, DW_AT_stmt_list, &attribute) || dwarf_formudata(&attribute, &offset) != 0)
		return;
	data = find_section(dwarf_getelf(dwarf_cu_getdwarf(root->cu)));
	if (data && data->d_buf && offset < data->d_size)
		line_header_parse(header, (const uint8_t *)data->d_buf + offset, data->d_size - offset);
}

void line_header_deinit(struct line_header *header)
{
	free(header->md5);
	header->md5 = NULL;
	header->n_md5 = 0;
}
