#include "source/name_map.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum format { FORMAT_NM, FORMAT_LD, FORMAT_PERF };

struct reader {
	struct name_map *map;
	bool is_known; /* the format is known */
	enum format format;
	uint64_t start_va, end_va; /* GNU ld: the input section that the next symbols belong to */
	char *pending_section;	   /* GNU ld: a name whose addresses follow on the next line; NULL: none */
};

static char *skip_space(char *text)
{
	while (*text == ' ' || *text == '\t')
		text++;
	return text;
}

/* Ends the word at *text and advances *text to the next one. Returns "" at the end of the text. */
static char *next_word(char **text)
{
	char *word = skip_space(*text), *end = word;

	while (*end && *end != ' ' && *end != '\t')
		end++;
	*text = *end ? end + 1 : end;
	*end = '\0';
	return word;
}

static bool parse_hex(const char *word, uint64_t *value)
{
	char *end;

	if (!isxdigit((unsigned char)word[0]))
		return false;
	*value = strtoull(word, &end, 16);
	return *end == '\0';
}

static void add(struct reader *reader, uint64_t start_va, uint64_t end_va, bool has_size, const char *name,
		enum symbol_rank rank)
{
	struct symbol *symbol;

	if (!*name || end_va <= start_va)
		return;
	symbol = ARRAY_ADD(&reader->map->table, symbols);
	symbol->start_va = start_va;
	symbol->end_va = end_va;
	symbol->has_size = has_size;
	symbol->name = xstrdup(name);
	symbol->rank = rank;
}

static enum symbol_rank rank_of_type(char type)
{
	return type == 'T' || type == 'i' ? SYMBOL_GLOBAL : tolower(type) == 'w' ? SYMBOL_WEAK : SYMBOL_LOCAL;
}

static bool is_type(const char *word)
{
	return word[0] && !word[1] && strchr("tTwWiabBCdDgGnNpPrRsSuUvV-?", word[0]);
}

/* nm pads the addresses and sizes of 64-bit programs to 16 digits. perf maps, by their specification, do not pad. */
static bool is_full_length(const char *word)
{
	return strlen(word) == 16;
}

static void read_address_line(struct reader *reader, char *line)
{
	char *rest = line, *address = next_word(&rest), *second = next_word(&rest), *third;
	uint64_t va, n_bytes = 0;
	bool is_nm;

	if (!parse_hex(address, &va))
		return;
	rest = skip_space(rest);
	third = second;
	is_nm = is_full_length(address) && is_type(second);
	if (!is_nm) {
		if (!parse_hex(second, &n_bytes))
			return;
		is_nm = is_full_length(address) && is_full_length(second) && rest[0] && rest[1] == ' ';
		third = is_nm ? next_word(&rest) : rest;
	}
	if (reader->is_known && (reader->format == FORMAT_NM) != is_nm)
		return;
	reader->is_known = true;
	reader->format = is_nm ? FORMAT_NM : FORMAT_PERF;
	if (!is_nm)
		add(reader, va, va + n_bytes, true, third, SYMBOL_GLOBAL);
	else if (third[0] && strchr("tTwWi", third[0]))
		add(reader, va, n_bytes ? va + n_bytes : UINT64_MAX, n_bytes > 0, skip_space(rest),
		    rank_of_type(third[0]));
}

static bool is_code_section(const char *name)
{
	static const char *const names[] = {".text", ".init", ".fini", ".plt"};

	for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
		size_t n = strlen(names[i]);

		if (strncmp(name, names[i], n) == 0 && (name[n] == '\0' || name[n] == '.'))
			return true;
	}
	return false;
}

/* An input section is named after its function with -ffunction-sections. Otherwise only its object file is known. */
static void begin_section(struct reader *reader, char *section, char *rest)
{
	const char *slash, *name;
	uint64_t va, n_bytes;

	if (!parse_hex(next_word(&rest), &va) || !parse_hex(next_word(&rest), &n_bytes))
		return;
	/* The linker gives address 0 to sections that it dropped. */
	reader->start_va = va;
	reader->end_va = va && is_code_section(section) ? va + n_bytes : va;
	rest = skip_space(rest);
	slash = strrchr(rest, '/');
	name = strncmp(section, ".text.", 6) == 0 ? section + 6 : slash ? slash + 1 : rest;
	add(reader, va, reader->end_va, false, name, SYMBOL_LABEL);
}

static void read_ld_line(struct reader *reader, char *line)
{
	char *rest = skip_space(line), *name;
	uint64_t va;

	if (rest == line) { /* an output section: the sum of its input sections */
		reader->pending_section = NULL;
		return;
	}
	if (*rest == '.') {
		char *section = next_word(&rest);

		reader->pending_section = *skip_space(rest) ? NULL : section;
		if (!reader->pending_section)
			begin_section(reader, section, rest);
		return;
	}
	if (strncmp(rest, "0x", 2) != 0)
		return;
	if (reader->pending_section) {
		begin_section(reader, reader->pending_section, rest);
		reader->pending_section = NULL;
		return;
	}
	/* A symbol has one more word, its name. An assignment (". = ALIGN (8)", "PROVIDE (etext = .)") has several. */
	if (!parse_hex(next_word(&rest), &va) || va < reader->start_va || va >= reader->end_va)
		return;
	name = skip_space(rest);
	if (!strpbrk(name, "=.") || !strchr(name, ' '))
		add(reader, va, reader->end_va, false, name, SYMBOL_GLOBAL);
}

/* Maps of GNU ld begin with one of these headings, or with the input sections below a translated heading. */
static bool is_ld_head(const char *line)
{
	static const char *const headings[] = {"Archive member included ",    "As-needed library included ",
					       "Discarded input sections",    "Merging program properties",
					       "Allocating common symbols",   "Memory Configuration",
					       "Linker script and memory map"};

	for (size_t i = 0; i < ARRAY_LENGTH(headings); i++)
		if (strncmp(line, headings[i], strlen(headings[i])) == 0)
			return true;
	return line[0] == ' ' && line[1] == '.';
}

static void read_line(struct reader *reader, char *line)
{
	if (!reader->is_known && is_ld_head(line)) {
		reader->is_known = true;
		reader->format = FORMAT_LD;
	}
	if (reader->is_known && reader->format == FORMAT_LD)
		read_ld_line(reader, line);
	else
		read_address_line(reader, line);
}

static char *read_text(const char *path, struct error *err)
{
	FILE *file = fopen(path, "re");
	size_t n_bytes = 0, capacity = 0;
	char *text = NULL;

	if (!file) {
		error_set_errno(err, ERROR_USAGE, "cannot read the map '%s'", path);
		return NULL;
	}
	if (getdelim(&text, &capacity, '\0', file) > 0)
		n_bytes = strlen(text);
	if (ferror(file) || !n_bytes) {
		error_set(err, ERROR_FORMAT, "%s:1: not a map of names: the file is empty or cannot be read", path);
		free(text);
		text = NULL;
	}
	fclose(file);
	return text;
}

bool name_map_read(struct name_map *map, const char *path, struct error *err)
{
	char *text = read_text(path, err), *rest = text, *line;
	struct name_map read = {0};
	struct reader reader = {.map = &read};

	if (!text)
		return false;
	while ((line = strsep(&rest, "\n"))) {
		line[strcspn(line, "\r")] = '\0';
		read_line(&reader, line);
	}
	free(text);
	if (!read.table.n_symbols) {
		name_map_deinit(&read);
		return error_set(
			err, ERROR_FORMAT,
			"%s:1: no line names code; expected a linker map (ld -Map), output of nm or a perf-PID.map",
			path);
	}
	read.is_run_time = reader.format == FORMAT_PERF;
	symbol_table_arrange(&read.table);
	*map = read;
	return true;
}

void name_map_deinit(struct name_map *map)
{
	symbol_table_deinit(&map->table);
	*map = (struct name_map){0};
}
