#include "costmodels/model/form_table.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "costmodels/model/form_text.h"
#include "decode/insn.h"

/* Rules of data/FORMAT.md, "Forms without a row", by number. A lower one is closer. */
enum rule {
	RULE_EXACT,
	RULE_NOT_SAME,
	RULE_IMMEDIATE,
	RULE_RELATIVE,
	RULE_WIDTH,
	RULE_DECORATION,
	RULE_KINDS,
	RULE_PATTERN,
	RULE_NONE, /* the row does not fit */
};

static const char *const rule_texts[] = {
	[RULE_NOT_SAME] = "as if of different registers",
	[RULE_IMMEDIATE] = "immediate of another width",
	[RULE_RELATIVE] = "branch distance of another width",
	[RULE_WIDTH] = "operand of another width",
	[RULE_DECORATION] = "without mask, rounding or broadcast",
	[RULE_KINDS] = "same mnemonic, same kinds of operands",
	[RULE_PATTERN] = "one figure for many forms",
};

#define AS_32_BIT "as 32-bit"
#define ANY_FORM "*" /* in by_mnemonic: rows with a pattern */
#define OTHER_COLUMN "the model states only the other of latency and throughput"

void form_table_deinit(struct form_table *table)
{
	free(table->rows);
	text_index_deinit(&table->by_form);
	text_index_deinit(&table->by_mnemonic);
	*table = (struct form_table){0};
}

void form_table_reserve(struct form_table *table, size_t n_rows)
{
	table->rows = array_reserve(table->rows, &table->rows_capacity, n_rows, sizeof(*table->rows));
	text_index_reserve(&table->by_form, n_rows);
}

static bool is_form(const char *text)
{
	return *text >= 'A' && *text <= 'Z' && text_is_printable(text) && strlen(text) < FORM_TEXT_BYTES;
}

/* Checks of words dominate the time to load a model. Therefore this is a table. */
static const bool word_characters[256] = {
	['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['0' ... '9'] = true, ['_'] = true,
	['.'] = true,	      ['+'] = true,	    ['-'] = true,
};

static const char *skip_word(const char *text)
{
	while (word_characters[(unsigned char)*text])
		text++;
	return text;
}

static const char *skip_figure(const char *text)
{
	while (text_is_digit(*text) || *text == '.')
		text++;
	return text;
}

/* Words separated by single spaces, each followed by ":figure" if need_figures. */
static bool are_words(const char *text, bool need_figures)
{
	while (*text) {
		const char *word = text;

		text = skip_word(text);
		if (text == word)
			return false;
		if (need_figures || *text == ':') {
			if (text[0] != ':' || !text_is_digit(text[1]))
				return false;
			text = skip_figure(text + 1);
		}
		if (*text == ' ')
			text++;
		else if (*text)
			return false;
	}
	return true;
}

/* "1>1:1 2a>flags:6": from an operand to an operand, with cycles. */
static bool are_latencies(const char *text)
{
	while (*text) {
		const char *source = text, *target = skip_word(text) + 1;

		if (target == source + 1 || target[-1] != '>')
			return false;
		text = skip_word(target);
		if (text == target || text[0] != ':' || !text_is_digit(text[1]))
			return false;
		text = skip_figure(text + 1);
		if (*text && *text++ != ' ')
			return false;
	}
	return true;
}

static bool parse_uops(const struct text_file *file, const char *what, const char *cell, uint16_t *out,
		       struct error *err)
{
	uint64_t uops = 0;

	if (*cell && !text_parse_uint(cell, UINT16_MAX, &uops))
		return text_file_error(file, err, "%s '%.40s': must be 0 to %d", what, cell, UINT16_MAX);
	*out = (uint16_t)uops;
	return true;
}

static bool parse_figure(const struct text_file *file, const char *what, const char *cell, int32_t *out,
			 struct error *err)
{
	int64_t mcyc = FORM_NOT_STATED;

	if (*cell && !text_parse_milli(cell, &mcyc))
		return text_file_error(file, err, "%s '%.40s': must be 0 to %d with at most 3 places", what, cell,
				       TEXT_FILE_MAX_CYCLES);
	*out = (int32_t)mcyc;
	return true;
}

/* Reads the figure of the flag "iteration:3"; 0 without it. */
static bool parse_iteration(const struct text_file *file, const char *flags, int32_t *out, struct error *err)
{
	static const char word[] = "iteration:";
	const char *at = strstr(flags, word);
	char figure[16];

	if (!at || (at > flags && at[-1] != ' '))
		return true;
	at += strlen(word);
	snprintf(figure, sizeof(figure), "%.*s", (int)strcspn(at, " "), at);
	return parse_figure(file, "iteration", figure, out, err);
}

bool form_table_add_row(struct form_table *table, const struct text_file *file, char *line, struct error *err)
{
	enum { FORM, LATENCY, THROUGHPUT, UOPS, PORTS, FLAGS, FUSED, LATENCIES, N_CELLS };
	char *cells[N_CELLS];
	struct form_row row = {.file = file, .line = file->line, .next = TEXT_INDEX_NONE};
	uint32_t number = (uint32_t)table->n_rows;
	uint32_t *slot;

	if (!text_cut_cells(line, cells, N_CELLS))
		return text_file_error(file, err, "row has more than %d cells", N_CELLS);
	if (!is_form(cells[FORM]))
		return text_file_error(file, err, "'%.80s' is not an instruction form", cells[FORM]);
	if (!parse_figure(file, "latency", cells[LATENCY], &row.latency_mcyc, err) ||
	    !parse_figure(file, "throughput", cells[THROUGHPUT], &row.throughput_mcyc, err))
		return false;
	if (!parse_uops(file, "uops", cells[UOPS], &row.uops, err) ||
	    !parse_uops(file, "fused", cells[FUSED], &row.fused, err))
		return false;
	if (!are_words(cells[PORTS], true))
		return text_file_error(file, err, "ports '%.80s': must be words like p0156:1", cells[PORTS]);
	if (!are_words(cells[FLAGS], false))
		return text_file_error(file, err, "flags '%.80s': must be words", cells[FLAGS]);
	if (!parse_iteration(file, cells[FLAGS], &row.iteration_mcyc, err))
		return false;
	if (!are_latencies(cells[LATENCIES]))
		return text_file_error(file, err, "latencies '%.80s': must be words like 2>1:5", cells[LATENCIES]);
	row.form = cells[FORM];
	row.ports = *cells[PORTS] ? cells[PORTS] : NULL;
	row.flags = *cells[FLAGS] ? cells[FLAGS] : NULL;
	row.latencies = *cells[LATENCIES] ? cells[LATENCIES] : NULL;

	slot = text_index_put(&table->by_form, row.form, strlen(row.form), number);
	if (*slot != number) {
		struct form_row *old = &table->rows[*slot];

		if (old->file == file)
			return text_file_error(file, err, "'%s' already has a row in line %u", row.form, old->line);
		row.next = old->next;
		*old = row;
		return true;
	}
	if (form_text_is_pattern(row.form))
		slot = text_index_put(&table->by_mnemonic, ANY_FORM, strlen(ANY_FORM), number);
	else
		slot = text_index_put(&table->by_mnemonic, row.form, form_text_mnemonic_bytes(row.form), number);
	if (*slot != number) {
		row.next = *slot;
		*slot = number;
	}
	*ARRAY_ADD(table, rows) = row;
	return true;
}

static bool has_figure(const struct form_row *row)
{
	return row->latency_mcyc != FORM_NOT_STATED || row->throughput_mcyc != FORM_NOT_STATED;
}

static bool is_immediate(const struct form_operand *operand)
{
	return form_operand_is(operand, "imm") || (operand->n_text == 1 && *operand->text == '1');
}

static bool have_same_text(const struct form_operand *a, const struct form_operand *b)
{
	return a->n_text == b->n_text && strncasecmp(a->text, b->text, a->n_text) == 0;
}

/* Returns the rule by which `row` may stand in for `wanted`, apart from decorations. */
static enum rule compare_values(const struct form_operand *wanted, const struct form_operand *row)
{
	if (have_same_text(wanted, row))
		return RULE_EXACT;
	if (is_immediate(wanted) && is_immediate(row))
		return RULE_IMMEDIATE;
	if (wanted->n_kind != row->n_kind || strncasecmp(wanted->text, row->text, row->n_kind) != 0)
		return RULE_NONE;
	if (form_operand_is(row, "rel"))
		return RULE_RELATIVE;
	if (form_operand_is(row, "r") || (form_operand_is(row, "m") && wanted->width && row->width))
		return RULE_WIDTH;
	return RULE_KINDS;
}

static enum rule compare_operands(const struct form_operand *wanted, const struct form_operand *row)
{
	enum rule rule;

	/* A row may lack a decoration but never have an additional one. */
	if (row->is_masked > wanted->is_masked || row->is_zeroing > wanted->is_zeroing ||
	    row->is_rounding > wanted->is_rounding || (row->broadcast && row->broadcast != wanted->broadcast))
		return RULE_NONE;
	if (wanted->broadcast && !row->broadcast)
		return form_operand_is(row, "m") && row->width == wanted->width * wanted->broadcast ? RULE_DECORATION
												    : RULE_NONE;
	rule = compare_values(wanted, row);
	if (rule < RULE_DECORATION && (row->is_masked != wanted->is_masked || row->is_zeroing != wanted->is_zeroing ||
				       row->is_rounding != wanted->is_rounding))
		return RULE_DECORATION;
	return rule;
}

/* Added to the distance in bits between a form and a row. Both exceed any sum of differences in width. */
#define DISTANCE_NOT_SAME (1u << 16)
#define DISTANCE_NARROWER (1u << 20)

/* A wider row is closer than a narrower one, because it includes the form's work. */
static unsigned width_distance(const struct form_operand *wanted, const struct form_operand *row)
{
	return row->width >= wanted->width ? row->width - wanted->width
					   : DISTANCE_NARROWER + (wanted->width - row->width);
}

static enum rule compare_forms(const struct form_parts *wanted, const struct form_parts *row, unsigned *distance)
{
	enum rule rule = row->is_same == wanted->is_same ? RULE_EXACT : RULE_NOT_SAME;

	*distance = row->is_same == wanted->is_same ? 0 : DISTANCE_NOT_SAME;
	if (row->n_operands != wanted->n_operands || row->is_same > wanted->is_same)
		return RULE_NONE;
	for (size_t i = 0; i < row->n_operands; i++) {
		enum rule operand_rule = compare_operands(&wanted->operands[i], &row->operands[i]);

		if (operand_rule > rule)
			rule = operand_rule;
		*distance += width_distance(&wanted->operands[i], &row->operands[i]);
	}
	return rule;
}

/* Returns true if the operands differ only in that the form has 64 bits where the row has 32. */
static bool stands_32_for_64(const char *form_text, const char *row_form)
{
	struct form_parts wanted, row;
	bool has_any = false;

	if (!form_text_parse(form_text, &wanted) || !form_text_parse(row_form, &row) ||
	    wanted.n_operands != row.n_operands || wanted.is_same != row.is_same)
		return false;
	for (size_t i = 0; i < wanted.n_operands; i++) {
		if (wanted.operands[i].width == row.operands[i].width)
			continue;
		if (wanted.operands[i].width != 64 || row.operands[i].width != 32)
			return false;
		has_any = true;
	}
	return has_any;
}

/* Returns why the row's figures are approximate, by the row's flags, or NULL. */
static const char *stand_in_text(const struct form_row *row)
{
	static const struct {
		const char *flag, *text;
	} stand_ins[] = {
		{"as32", AS_32_BIT},
		{"range", "the middle of a range"},
		{"relative", "a relative's figures"},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(stand_ins); i++)
		if (cost_has_flag(row->flags, stand_ins[i].flag))
			return stand_ins[i].text;
	return NULL;
}

/* Returns the closest row with a figure. Of equally close rows, returns the first one in the file. */
static const struct form_row *find_related(const struct form_table *table, const char *form_text, enum rule *rule)
{
	struct form_parts wanted, parts;
	unsigned best_distance = 0, distance;
	const struct form_row *best = NULL;
	uint32_t at;

	*rule = RULE_NONE;
	if (!form_text_parse(form_text, &wanted))
		return NULL;
	for (at = text_index_get(&table->by_mnemonic, form_text, wanted.n_mnemonic); at != TEXT_INDEX_NONE;
	     at = table->rows[at].next) {
		const struct form_row *row = &table->rows[at];
		enum rule row_rule;

		if (!has_figure(row) || !form_text_parse(row->form, &parts))
			continue;
		row_rule = compare_forms(&wanted, &parts, &distance);
		if (row_rule > *rule || row_rule == RULE_NONE || (row_rule == *rule && distance > best_distance))
			continue;
		*rule = row_rule;
		best_distance = distance;
		best = row;
	}
	return best;
}

/* Returns the last row with a pattern that matches the form, or NULL. */
static const struct form_row *find_pattern(const struct form_table *table, const char *form_text)
{
	uint32_t at = text_index_get(&table->by_mnemonic, ANY_FORM, strlen(ANY_FORM));

	while (at != TEXT_INDEX_NONE && !text_matches(table->rows[at].form, form_text))
		at = table->rows[at].next;
	return at == TEXT_INDEX_NONE ? NULL : &table->rows[at];
}

/* Returns why the row's figures are a fallback for form_text, or NULL if they are exact. */
static const char *rule_of(const struct form_row *row, enum rule rule, bool has_ranked, const char *form_text)
{
	if (rule == RULE_WIDTH && stands_32_for_64(form_text, row->form))
		return AS_32_BIT;
	if (rule != RULE_EXACT)
		return rule_texts[rule];
	return has_ranked ? stand_in_text(row) : OTHER_COLUMN;
}

static void set_cost(const struct form_row *row, enum rule rule, enum cost_column rank, const char *form_text,
		     struct cost *out)
{
	bool has_latency = row->latency_mcyc != FORM_NOT_STATED;
	bool has_throughput = row->throughput_mcyc != FORM_NOT_STATED;

	out->rule = rule_of(row, rule, rank == COST_LATENCY ? has_latency : has_throughput, form_text);
	out->match = out->rule ? COST_FALLBACK : COST_EXACT;
	out->latency_mcyc = has_latency ? row->latency_mcyc : row->throughput_mcyc;
	out->throughput_mcyc = has_throughput ? row->throughput_mcyc : row->latency_mcyc;
	out->per_iteration_mcyc = row->iteration_mcyc;
	out->uops = row->uops;
	out->ports = row->ports;
	out->flags = row->flags;
	out->via = row->form;
	out->fused = row->fused;
	out->latencies = row->latencies;
	out->path = row->file->path;
	out->line = row->line;
}

void form_table_lookup(const struct form_table *table, const char *form_text, enum cost_column rank, struct cost *out)
{
	uint32_t exact = text_index_get(&table->by_form, form_text, strlen(form_text));
	const struct form_row *row;
	enum rule rule = RULE_EXACT;

	if (exact != TEXT_INDEX_NONE)
		row = &table->rows[exact];
	else
		row = find_related(table, form_text, &rule);
	if (!row) {
		row = find_pattern(table, form_text);
		rule = RULE_PATTERN;
	}
	if (row && has_figure(row))
		set_cost(row, rule, rank, form_text, out);
}
