/* Reads a map: parses each row into a struct map_row. */
#include "costmodels/model/opcode_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "costmodels/model/model_private.h"

#define MAGIC "itrace-opcode-map 1"
#define MAX_COUNT 1000

/* State of the reader of one map. */
struct reader {
	struct opcode_map *map;
	const struct model *model;
	struct error *err;
};

static bool reader_figure(struct reader *reader, int64_t milli, int64_t *mcyc)
{
	if (model_figure_mcyc(reader->model, milli, mcyc))
		return true;
	return text_file_error(&reader->map->file, reader->err, "a figure of model %s is more than %d cycles",
			       model_name(reader->model), TEXT_FILE_MAX_CYCLES);
}

static bool reader_parameter(struct reader *reader, const char *key, int64_t *mcyc)
{
	const struct text_file *file = &reader->map->file;
	const char *value = model_parameter(reader->model, key);
	int64_t milli;

	if (!value)
		return text_file_error(file, reader->err, "'%s' is neither an opcode nor a parameter of model %s", key,
				       model_name(reader->model));
	if (!text_parse_milli(value, &milli))
		return text_file_error(file, reader->err, "parameter '%s' of model %s is '%s', which is not a number",
				       key, model_name(reader->model), value);
	return reader_figure(reader, milli, mcyc);
}

static bool read_name(struct reader *reader, const char *name, struct map_term *term)
{
	uint32_t number = text_index_get(&reader->map->by_mnemonic, name, strlen(name));
	bool reads = strcmp(name, "read") == 0 || strcmp(name, "modify") == 0;
	bool writes = strcmp(name, "write") == 0 || strcmp(name, "modify") == 0;
	int64_t read_mcyc = 0, write_mcyc = 0;

	if (number != TEXT_INDEX_NONE) {
		const struct opcode_row *opcode = &reader->map->opcodes[number];

		term->mnemonic = opcode->mnemonic;
		term->is_unknown = opcode->milli == 0;
		term->is_approximate = opcode->is_approximate;
		return reader_figure(reader, opcode->milli, &term->mcyc);
	}
	if (!reads && !writes)
		return reader_parameter(reader, name, &term->mcyc);
	if ((reads && !reader_parameter(reader, "memory_read", &read_mcyc)) ||
	    (writes && !reader_parameter(reader, "memory_write", &write_mcyc)))
		return false;
	term->is_per_longword = true;
	term->mcyc = read_mcyc + write_mcyc;
	return true;
}

/* "ADDL2", "3 * MOVL" or "n8 * ADDB2" */
static bool read_term(struct reader *reader, char *text, struct map_term *term)
{
	const struct text_file *file = &reader->map->file;
	char *star = strstr(text, " * ");
	uint64_t number = 1;
	bool is_elements = text[0] == 'n';

	if (star) {
		*star = '\0';
		if (!text_parse_uint(text + is_elements, MAX_COUNT, &number) || number == 0 ||
		    (is_elements && number != 8 && number != 16 && number != 32 && number != 64))
			return text_file_error(file, reader->err, "count '%s': must be 1 to %d or n8, n16, n32, n64",
					       text, MAX_COUNT);
		text = star + strlen(" * ");
	}
	*term = (struct map_term){.count = (uint32_t)number};
	if (star && is_elements) {
		term->count = 0;
		term->element_bits = (uint32_t)number;
	}
	return read_name(reader, text, term);
}

/* Reads terms separated by " + ". An empty cell and "nothing" have no terms; "unknown" has one without a figure. */
static bool read_terms(struct reader *reader, char *cell, struct map_terms *out)
{
	*out = (struct map_terms){0};
	if (strcmp(cell, "nothing") == 0)
		return true;
	if (strcmp(cell, "unknown") == 0) {
		out->terms[out->n_terms++] = (struct map_term){.count = 1, .is_unknown = true};
		return true;
	}
	while (*cell) {
		char *plus = strstr(cell, " + ");
		char *next = plus ? plus + strlen(" + ") : cell + strlen(cell);

		if (plus)
			*plus = '\0';
		if (out->n_terms == MAP_MAX_TERMS)
			return text_file_error(&reader->map->file, reader->err, "sequence has more than %d terms",
					       MAP_MAX_TERMS);
		if (!read_term(reader, cell, &out->terms[out->n_terms++]))
			return false;
		cell = next;
	}
	return true;
}

static char *via_text(const struct map_terms *sequence, unsigned width)
{
	char *via = xstrdup("");

	for (size_t i = 0; i < sequence->n_terms; i++) {
		const struct map_term *term = &sequence->terms[i];
		uint64_t count = map_term_count(term, width);
		char *longer, times[16] = "";

		if (!term->mnemonic)
			continue;
		if (count > 1)
			snprintf(times, sizeof(times), "%u*", (unsigned)count);
		longer = xasprintf("%s%s%s%s", via, *via ? "+" : "", times, term->mnemonic);
		free(via);
		via = longer;
	}
	if (!*via) {
		free(via);
		via = xstrdup("nothing");
	}
	return via;
}

static void set_via(struct map_row *row)
{
	bool has_elements = false;

	for (size_t i = 0; i < row->sequence.n_terms; i++)
		has_elements |= row->sequence.terms[i].element_bits != 0;
	for (size_t i = 0; i < (has_elements ? MAP_N_WIDTHS : 1); i++)
		row->via[i] = via_text(&row->sequence, 64u << i);
}

static bool read_patterns(struct reader *reader, char *cell)
{
	struct opcode_map *map = reader->map;
	uint32_t row = (uint32_t)map->n_rows - 1;
	char *rest = cell, *text;

	while ((text = strsep(&rest, ";"))) {
		uint32_t number = (uint32_t)map->n_patterns, other;

		text += strspn(text, " ");
		while (*text && text[strlen(text) - 1] == ' ')
			text[strlen(text) - 1] = '\0';
		if (!*text)
			return text_file_error(&map->file, reader->err, "empty pattern");
		other = *text_index_put(&map->by_pattern, text, strlen(text), number);
		if (other != number)
			return text_file_error(&map->file, reader->err, "'%s' already has a row in line %u", text,
					       map->patterns[other].line);
		*ARRAY_ADD(map, patterns) = (struct map_pattern){text, row, map->file.line};
	}
	return true;
}

static bool read_row(struct reader *reader, char *line)
{
	enum { PATTERNS, SEQUENCE, PER_ITERATION, REASON, N_CELLS };
	struct opcode_map *map = reader->map;
	char *cells[N_CELLS];
	struct map_row *row;

	if (!text_cut_cells(line, cells, N_CELLS) || !*cells[SEQUENCE] || !*cells[REASON] ||
	    !text_is_printable(cells[PATTERNS]) || !text_is_printable(cells[REASON]))
		return text_file_error(&map->file, reader->err,
				       "a row is 'patterns | sequence | per iteration | why' in printable ASCII; "
				       "only the third may be empty");
	row = ARRAY_ADD(map, rows);
	row->reason = cells[REASON];
	row->line = map->file.line;
	row->is_approximate = *cells[SEQUENCE] == '~';
	if (row->is_approximate)
		cells[SEQUENCE] += strspn(cells[SEQUENCE], "~ ");
	if (!*cells[SEQUENCE])
		return text_file_error(&map->file, reader->err, "'~' has no sequence");
	if (!read_terms(reader, cells[SEQUENCE], &row->sequence) ||
	    !read_terms(reader, cells[PER_ITERATION], &row->per_iteration))
		return false;
	set_via(row);
	return read_patterns(reader, cells[PATTERNS]);
}

bool opcode_map_read(struct opcode_map *map, const char *path, const struct model *model, struct error *err)
{
	struct reader reader = {map, model, err};
	char *line;

	map->path = xstrdup(path);
	if (!text_file_open(&map->file, map->path, 0, err) || !text_file_next(&map->file, &line, err))
		return false;
	map->file.problems = model->file.problems;
	if (!line || map->file.line != 1 || strcmp(line, MAGIC) != 0) {
		map->file.line = 1;
		return text_file_error(&map->file, err, "not an opcode map: the first line must be '" MAGIC "'");
	}
	for (;;) {
		if (!text_file_next(&map->file, &line, err))
			return false;
		if (!line)
			return true;
		if (!read_row(&reader, line) && !text_file_recover(&map->file, err))
			return false;
	}
}
