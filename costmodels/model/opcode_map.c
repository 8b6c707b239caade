#include "costmodels/model/opcode_map.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "costmodels/model/form_text.h"

#define LONGWORD_BITS 32
#define RULE_APPROXIMATION "approximation"
#define RULE_BORROWED "by the figure of a like opcode"

void opcode_map_deinit(struct opcode_map *map)
{
	for (size_t i = 0; i < map->n_rows; i++)
		for (size_t j = 0; j < MAP_N_WIDTHS; j++)
			free(map->rows[i].via[j]);
	free(map->opcodes);
	free(map->rows);
	free(map->patterns);
	free(map->path);
	text_index_deinit(&map->by_mnemonic);
	text_index_deinit(&map->by_pattern);
	text_file_close(&map->file);
	*map = (struct opcode_map){0};
}

/* "12", "~ 12", "~ MOVL" or nothing */
static bool parse_cycles(const struct text_file *file, const char *cell, struct opcode_row *row, struct error *err)
{
	int64_t milli = 0;

	if (*cell == '~') {
		row->is_approximate = true;
		cell += strspn(cell, "~ ");
		if ((*cell | 0x20) >= 'a' && (*cell | 0x20) <= 'z') {
			row->like = cell;
			return true;
		}
	}
	if ((row->is_approximate || *cell) && !text_parse_milli(cell, &milli))
		return text_file_error(
			file, err, "cycles '%.40s': must be 0 to %d with at most 3 places, after '~' also a mnemonic",
			cell, TEXT_FILE_MAX_CYCLES);
	row->milli = (int32_t)milli;
	return true;
}

/* Returns whether a row may replace an earlier one of its opcode. */
static bool check_override(const struct opcode_row *old, const struct text_file *file, const char *mnemonic,
			   struct error *err)
{
	if (old->file == file)
		return text_file_error(file, err, "opcode 0x%02x already has a row in line %u", old->opcode, old->line);
	if (strcasecmp(old->mnemonic, mnemonic) != 0)
		return text_file_error(file, err, "opcode 0x%02x is '%s' in %s", old->opcode, old->mnemonic,
				       old->file->path);
	return true;
}

bool opcode_map_add_opcode(struct opcode_map *map, const struct text_file *file, char *line, struct error *err)
{
	enum { OPCODE, MNEMONIC, CYCLES, N_CELLS };
	char *cells[N_CELLS];
	struct opcode_row row = {.file = file, .line = file->line};
	uint32_t number = (uint32_t)map->n_opcodes;
	uint64_t opcode;

	if (!text_cut_cells(line, cells, N_CELLS) || !text_is_printable(cells[MNEMONIC]))
		return text_file_error(file, err, "a row must be up to %d cells of printable ASCII", N_CELLS);
	if (!text_parse_uint(cells[OPCODE], UINT16_MAX, &opcode))
		return text_file_error(file, err, "opcode '%.40s': must be 0 to 0xffff", cells[OPCODE]);
	if (!parse_cycles(file, cells[CYCLES], &row, err))
		return false;
	for (size_t i = 0; i < map->n_opcodes; i++)
		if (map->opcodes[i].opcode == opcode)
			number = (uint32_t)i;
	if (number < map->n_opcodes && !check_override(&map->opcodes[number], file, cells[MNEMONIC], err))
		return false;
	row.opcode = (uint16_t)opcode;
	row.mnemonic = cells[MNEMONIC];
	if (*row.mnemonic) {
		uint32_t other = *text_index_put(&map->by_mnemonic, row.mnemonic, strlen(row.mnemonic), number);

		if (other != number)
			return text_file_error(file, err, "'%s' already has a row in line %u", row.mnemonic,
					       map->opcodes[other].line);
	} else if (row.milli || row.like) {
		return text_file_error(file, err, "opcode 0x%02x has cycles but no mnemonic", row.opcode);
	}
	if (number == map->n_opcodes)
		ARRAY_ADD(map, opcodes);
	map->opcodes[number] = row;
	return true;
}

bool opcode_map_resolve(struct opcode_map *map, struct error *err)
{
	for (size_t i = 0; i < map->n_opcodes; i++) {
		struct opcode_row *row = &map->opcodes[i];
		uint32_t number = row->like ? text_index_get(&map->by_mnemonic, row->like, strlen(row->like)) : 0;

		if (!row->like)
			continue;
		if (number == TEXT_INDEX_NONE || map->opcodes[number].like || !map->opcodes[number].milli) {
			const struct text_file place = {.path = row->file->path, .line = row->line};

			return text_file_error(&place, err, "'%s' is like '%.40s', which has no figure of its own",
					       row->mnemonic, row->like);
		}
		row->milli = map->opcodes[number].milli;
	}
	return true;
}

size_t opcode_map_n_figures(const struct opcode_map *map)
{
	size_t n = 0;

	for (size_t i = 0; i < map->n_opcodes; i++)
		n += map->opcodes[i].milli != 0;
	return n;
}

uint64_t map_term_count(const struct map_term *term, unsigned width)
{
	return term->count ? term->count : width / term->element_bits;
}

static const struct map_row *find_row(const struct opcode_map *map, const char *form_text)
{
	uint32_t literal = text_index_get(&map->by_pattern, form_text, strlen(form_text));

	if (literal != TEXT_INDEX_NONE)
		return &map->rows[map->patterns[literal].row];
	for (size_t i = 0; i < map->n_patterns; i++)
		if (text_matches(map->patterns[i].text, form_text))
			return &map->rows[map->patterns[i].row];
	return NULL;
}

/* Properties of a form that a sequence depends on. */
struct shape {
	unsigned width;	    /* in bits, of the first vector register, else of the memory operand; 0: neither */
	unsigned longwords; /* of the memory operand; 0: none */
};

static struct shape shape_of(const char *form_text)
{
	struct form_parts parts;
	struct shape shape = {0};
	unsigned memory_width = 0;

	if (!form_text_parse(form_text, &parts))
		return shape;
	for (size_t i = 0; i < parts.n_operands; i++) {
		const struct form_operand *operand = &parts.operands[i];

		if (form_operand_is_memory(operand)) {
			memory_width = operand->width;
			shape.longwords = (operand->width + LONGWORD_BITS - 1) / LONGWORD_BITS;
		} else if (form_operand_is_vector(operand) && !shape.width) {
			shape.width = operand->width;
		}
	}
	if (!shape.width)
		shape.width = memory_width;
	return shape;
}

/* Returns false if a figure is unknown or the form lacks the counted elements. */
static bool sum_terms(const struct map_terms *terms, const struct shape *shape, mcyc_t *out, bool *has_approximation)
{
	mcyc_t sum = 0;

	for (size_t i = 0; i < terms->n_terms; i++) {
		const struct map_term *term = &terms->terms[i];
		uint64_t count = map_term_count(term, shape->width);

		if (term->is_unknown || count == 0)
			return false;
		if (term->is_per_longword)
			count *= shape->longwords;
		sum += (mcyc_t)count * term->mcyc;
		*has_approximation |= term->is_approximate;
	}
	*out = sum;
	return true;
}

static const char *row_via(const struct map_row *row, unsigned width)
{
	for (size_t i = 0; i < MAP_N_WIDTHS; i++)
		if (width == 64u << i && row->via[i])
			return row->via[i];
	return row->via[0];
}

void opcode_map_lookup(const struct opcode_map *map, const char *form_text, struct cost *out)
{
	const struct map_row *row = find_row(map, form_text);
	struct shape shape = shape_of(form_text);
	mcyc_t mcyc, per_iteration_mcyc;
	bool has_approximation = false;

	if (!row)
		return;
	out->reason = row->reason;
	out->path = map->path;
	out->line = row->line;
	if (!sum_terms(&row->sequence, &shape, &mcyc, &has_approximation) ||
	    !sum_terms(&row->per_iteration, &shape, &per_iteration_mcyc, &has_approximation))
		return;
	out->match = row->is_approximate || has_approximation ? COST_FALLBACK : COST_EXACT;
	out->rule = row->is_approximate ? RULE_APPROXIMATION : has_approximation ? RULE_BORROWED : NULL;
	out->latency_mcyc = mcyc;
	out->throughput_mcyc = mcyc;
	out->per_iteration_mcyc = per_iteration_mcyc;
	out->via = row_via(row, shape.width);
}
