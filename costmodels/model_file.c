#include "costmodels/model_file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "costmodels/model_path.h"

#define MAGIC "itrace-cost-model"
#define HEADER_BYTES ((size_t)16 << 10) /* a header that is read alone must fit; the longest is below 1 KiB */

#define TYPICAL_ROW_BYTES 64

static const struct header_key {
	const char *key;
	size_t offset;
	bool required; /* unless the model inherits it; the name is never inherited */
} header_keys[] = {
	{"name", offsetof(struct model_header, name), true},
	{"aliases", offsetof(struct model_header, aliases), false},
	{"stands_in", offsetof(struct model_header, stands_in), false},
	{"inherit", offsetof(struct model_header, inherit), false},
	{"title", offsetof(struct model_header, title), true},
	{"vendor", offsetof(struct model_header, vendor), false},
	{"year", offsetof(struct model_header, year_text), false},
	{"clock_mhz", offsetof(struct model_header, clock_mhz), false},
	{"cycle_ns", offsetof(struct model_header, cycle_ns), false},
	{"unit", offsetof(struct model_header, unit), false},
	{"rank", offsetof(struct model_header, rank_text), true},
	{"estimator", offsetof(struct model_header, estimator_text), false},
	{"source", offsetof(struct model_header, source), true},
	{"note", offsetof(struct model_header, note), false},
	{"map", offsetof(struct model_header, map), false},
};

/* What a file says of itself alone. */
static const char *const own_keys[] = {"name", "aliases", "stands_in", "inherit", "source"};

static const char **header_value(struct model_header *header, const struct header_key *key)
{
	return (const char **)((char *)header + key->offset);
}

static bool check_magic(struct text_file *file, struct error *err)
{
	char *line;
	size_t n = strlen(MAGIC);

	if (!text_file_next(file, &line, err))
		return false;
	if (!line || file->line != 1 || strncmp(line, MAGIC, n) != 0 || line[n] != ' ') {
		file->line = 1;
		return text_file_error(file, err, "no cost model: the first line must be '" MAGIC " 1'");
	}
	if (strcmp(line + n + 1, "1") != 0)
		return text_file_error(file, err, "version %.20s of the format; this itrace reads version 1",
				       line + n + 1);
	return true;
}

static bool is_word(const char *text, const char *others)
{
	if (!*text)
		return false;
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && !strchr(others, *text))
			return false;
	return true;
}

static int folder_bytes(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (int)(slash + 1 - path) : 0;
}

static bool parse_header_value(const struct text_file *file, struct model_header *header, const char *key,
			       const char *value, struct error *err)
{
	uint64_t year;

	if (strcmp(key, "name") == 0 && !is_word(value, "._+-"))
		return text_file_error(file, err, "name '%s': may have letters, digits and . _ + -", value);
	if (strcmp(key, "year") == 0) {
		if (!text_parse_uint(value, 2100, &year) || year < 1900)
			return text_file_error(file, err, "year '%s': must be 1900 to 2100", value);
		header->year = (int)year;
	}
	if (strcmp(key, "clock_mhz") == 0 && (!text_parse_milli(value, &header->clock_khz) || !header->clock_khz))
		return text_file_error(file, err, "clock_mhz '%s': must be a number above 0", value);
	if (strcmp(key, "cycle_ns") == 0 && (!text_parse_milli(value, &header->cycle_ps) || !header->cycle_ps))
		return text_file_error(file, err, "cycle_ns '%s': must be a number above 0", value);
	if (header->clock_khz && header->cycle_ps)
		return text_file_error(file, err, "clock_mhz and cycle_ns say the same: state one of them");
	if (strcmp(key, "unit") == 0) {
		if (strcmp(value, "us") != 0 && strcmp(value, "cycles") != 0)
			return text_file_error(file, err, "unit '%s': must be cycles or us", value);
		header->is_us = *value == 'u';
	}
	if (strcmp(key, "inherit") == 0)
		header->inherit_line = file->line;
	if ((strcmp(key, "aliases") == 0 || strcmp(key, "stands_in") == 0) && !is_word(value, "._+-, "))
		return text_file_error(file, err, "%s '%s': must be names with commas between them", key, value);
	if (strcmp(key, "rank") == 0) {
		if (strcmp(value, "latency") != 0 && strcmp(value, "throughput") != 0)
			return text_file_error(file, err, "rank '%s': must be latency or throughput", value);
		header->rank = *value == 'l' ? COST_LATENCY : COST_RECIPROCAL_THROUGHPUT;
	}
	if (strcmp(key, "estimator") == 0) {
		if (strcmp(value, "table") != 0 && strcmp(value, "pairing") != 0)
			return text_file_error(file, err, "estimator '%s': must be table or pairing", value);
		header->estimator = *value == 't' ? ESTIMATOR_TABLE : ESTIMATOR_PAIRING;
	}
	return true;
}

static bool read_header_line(const struct text_file *file, struct model_header *header, char *line, struct error *err)
{
	char *key, *value;

	if (!text_cut_assignment(line, &key, &value))
		return text_file_error(file, err, "'%s': must be 'key = value' or '[section]'", line);
	if (!text_is_printable(value))
		return text_file_error(file, err, "'%s' must be printable ASCII", key);
	for (size_t i = 0; i < ARRAY_LENGTH(header_keys); i++) {
		const char **slot = header_value(header, &header_keys[i]);

		if (strcmp(key, header_keys[i].key) != 0)
			continue;
		if (**slot)
			return text_file_error(file, err, "'%s' is stated twice", key);
		if (!*value)
			return text_file_error(file, err, "'%s' has no value", key);
		*slot = value;
		return parse_header_value(file, header, key, value, err);
	}
	return text_file_error(file, err, "'%s' is no key of the header", key);
}

static bool check_required(struct text_file *file, struct model_header *header, struct error *err)
{
	for (size_t i = 0; i < ARRAY_LENGTH(header_keys); i++) {
		const struct header_key *key = &header_keys[i];
		bool is_inherited = *header->inherit && strcmp(key->key, "name") != 0;

		if (!key->required || **header_value(header, key) || is_inherited)
			continue;
		text_file_error(file, err, "the header lacks '%s'", key->key);
		if (!text_file_recover(file, err))
			return false;
	}
	return true;
}

/* Leaves the section's name in *section, NULL at the end of the file. */
static bool read_header(struct text_file *file, struct model_header *header, char **section, struct error *err)
{
	for (size_t i = 0; i < ARRAY_LENGTH(header_keys); i++)
		*header_value(header, &header_keys[i]) = "";
	if (!check_magic(file, err))
		return false;
	for (;;) {
		if (!text_file_next(file, section, err)) {
			if (!text_file_recover(file, err))
				return false;
			continue;
		}
		if (!*section || **section == '[')
			return check_required(file, header, err);
		if (!read_header_line(file, header, *section, err) && !text_file_recover(file, err))
			return false;
	}
}

bool model_read_header(const char *path, struct text_file *file, struct model_header *out, struct error *err)
{
	struct model_header header = {0};
	struct text_file opened;
	char *section;

	if (!text_file_open(&opened, path, HEADER_BYTES, err))
		return false;
	if (!read_header(&opened, &header, &section, err)) {
		text_file_close(&opened);
		return false;
	}
	*file = opened;
	*out = header;
	return true;
}

static bool read_parameter(struct model *model, char *line, struct error *err)
{
	struct model_parameter *parameter = NULL;
	char *key, *value;

	if (!text_cut_assignment(line, &key, &value) || !is_word(key, "_") || !*value || !text_is_printable(value))
		return text_file_error(&model->file, err, "'%s': must be 'key = value' in printable ASCII", line);
	for (size_t i = 0; i < model->n_parameters; i++)
		if (strcmp(model->parameters[i].key, key) == 0)
			parameter = &model->parameters[i];
	if (parameter && parameter->file == &model->file)
		return text_file_error(&model->file, err, "parameter '%s' is stated twice", key);
	if (!parameter)
		parameter = ARRAY_ADD(model, parameters);
	*parameter = (struct model_parameter){key, value, &model->file};
	return true;
}

static bool read_section(struct model *model, char **section, struct error *err)
{
	enum { PARAMETERS, FORMS, OPCODES } kind;
	char *line;

	if (strcmp(*section, "[parameters]") == 0) {
		kind = PARAMETERS;
	} else if (strcmp(*section, "[forms]") == 0) {
		kind = FORMS;
		model->has_forms = true;
		form_table_reserve(&model->forms, model->forms.n_rows + model->file.n_bytes / TYPICAL_ROW_BYTES);
	} else if (strcmp(*section, "[opcodes]") == 0) {
		kind = OPCODES;
		model->has_opcodes = true;
	} else {
		return text_file_error(&model->file, err, "'%s' is no section", *section);
	}
	for (;;) {
		bool ok = text_file_next(&model->file, &line, err);

		if (ok && (!line || *line == '['))
			break;
		ok = ok && (kind == PARAMETERS ? read_parameter(model, line, err)
			    : kind == FORMS    ? form_table_add(&model->forms, &model->file, line, err)
					       : opcode_map_add_opcode(&model->opcodes, &model->file, line, err));
		if (!ok && !text_file_recover(&model->file, err))
			return false;
	}
	*section = line;
	return true;
}

static bool read_sections(struct model *model, char *section, struct error *err)
{
	while (section) {
		if (read_section(model, &section, err))
			continue;
		if (!text_file_recover(&model->file, err))
			return false;
		do {
			if (!text_file_next(&model->file, &section, err))
				return false;
		} while (section && *section != '[');
	}
	return true;
}

/* The files from the one that was asked for to the one being read. */
struct chain {
	const struct model *model;
	const struct chain *heir;
};

static bool is_same_file(const char *a, const char *b)
{
	char *real_a = realpath(a, NULL), *real_b = realpath(b, NULL);
	bool same = real_a && real_b && strcmp(real_a, real_b) == 0;

	free(real_a);
	free(real_b);
	return same;
}

static bool check_chain(const struct chain *chain, const char *path, struct error *err)
{
	const struct model *model = chain->model;
	unsigned n = 1;

	for (const struct chain *at = chain; at; at = at->heir, n++)
		if (is_same_file(at->model->path, path))
			return text_file_error(&model->file, err, "'inherit = %s' leads back to %s",
					       model->header.inherit, at->model->path);
	if (n > MODEL_MAX_INHERITANCE)
		return text_file_error(&model->file, err, "'inherit = %s' makes a chain of more than %d files",
				       model->header.inherit, MODEL_MAX_INHERITANCE);
	return true;
}

/* A name, or a path that is relative to the heir's folder. */
static char *parent_path(const struct model *model, struct error *err)
{
	const char *inherit = model->header.inherit;
	struct error unknown = {0};
	char *path;

	if (*inherit == '/')
		return xstrdup(inherit);
	if (model_name_is_path(inherit))
		return xasprintf("%.*s%s", folder_bytes(model->path), model->path, inherit);
	path = model_path_find(inherit, &unknown);
	if (!path)
		text_file_error(&model->file, err, "inherit: %s", unknown.text);
	return path;
}

static bool is_own_key(const char *key)
{
	for (size_t i = 0; i < ARRAY_LENGTH(own_keys); i++)
		if (strcmp(own_keys[i], key) == 0)
			return true;
	return false;
}

static void inherit_header(struct model_header *header, const struct model_header *parent)
{
	struct model_header from = *parent;
	bool has_clock = *header->clock_mhz || *header->cycle_ns;

	if (!*header->year_text)
		header->year = from.year;
	if (!*header->rank_text)
		header->rank = from.rank;
	if (!*header->estimator_text)
		header->estimator = from.estimator;
	if (!*header->unit)
		header->is_us = from.is_us;
	if (has_clock) {
		from.clock_mhz = "";
		from.cycle_ns = "";
	} else {
		header->clock_khz = from.clock_khz;
		header->cycle_ps = from.cycle_ps;
	}
	for (size_t i = 0; i < ARRAY_LENGTH(header_keys); i++) {
		const char **value = header_value(header, &header_keys[i]);

		if (!**value && !is_own_key(header_keys[i].key))
			*value = *header_value(&from, &header_keys[i]);
	}
}

static bool read_rows(struct model *model, const struct chain *heir, struct text_problems *problems, struct error *err);

static bool read_parent(struct model *model, const struct chain *chain, struct error *err)
{
	unsigned line = model->file.line;
	struct model *parent;
	char *path;

	model->file.line = model->header.inherit_line;
	path = parent_path(model, err);
	if (!path)
		return false;
	if (!check_chain(chain, path, err)) {
		free(path);
		return false;
	}
	model->file.line = line;
	parent = xcalloc(1, sizeof(*parent));
	parent->path = path;
	model->parent = parent;
	if (!read_rows(parent, chain, NULL, err)) {
		struct error unread = *err;

		model->file.line = model->header.inherit_line;
		return err->kind == ERROR_FORMAT ? false
						 : text_file_error(&model->file, err, "inherit: %s", unread.text);
	}
	inherit_header(&model->header, &parent->header);
	model->forms = parent->forms;
	model->opcodes = parent->opcodes;
	model->parameters = parent->parameters;
	model->n_parameters = parent->n_parameters;
	model->parameters_capacity = parent->parameters_capacity;
	model->has_forms = parent->has_forms;
	model->has_opcodes = parent->has_opcodes;
	model->map_path = parent->map_path;
	parent->forms = (struct form_table){0};
	parent->opcodes = (struct opcode_map){0};
	parent->parameters = NULL;
	parent->map_path = NULL;
	return true;
}

/* A map lies beside the model that names it. */
static bool set_map_path(struct model *model, struct error *err)
{
	if (!is_word(model->header.map, "._+-"))
		return text_file_error(&model->file, err, "map '%s': must be the name of a file beside this one",
				       model->header.map);
	free(model->map_path);
	model->map_path = xasprintf("%.*s%s", folder_bytes(model->path), model->path, model->header.map);
	return true;
}

static void set_source(struct model *model)
{
	const struct model *parent = model->parent;
	const char *own = model->header.source;

	if (!parent)
		model->source = xstrdup(own);
	else
		model->source = xasprintf("%s%s%s: %s", own, *own ? "; else as " : "as ", parent->header.name,
					  parent->source);
}

/* All but the map, which an heir reads with its own figures. */
static bool read_rows(struct model *model, const struct chain *heir, struct text_problems *problems, struct error *err)
{
	struct chain chain = {model, heir};
	bool states_map;
	char *section;

	if (!text_file_open(&model->file, model->path, 0, err))
		return false;
	model->file.problems = problems;
	if (!read_header(&model->file, &model->header, &section, err))
		return false;
	states_map = *model->header.map;
	if (*model->header.inherit && !read_parent(model, &chain, err))
		return false;
	if (!read_sections(model, section, err))
		return false;
	set_source(model);
	if (model->has_forms == model->has_opcodes)
		return text_file_error(&model->file, err, "a model has either [forms] or [opcodes]");
	if (model->forms.n_rows + model->opcodes.n_opcodes == 0)
		return text_file_error(&model->file, err, "a model without a row");
	if (model->has_opcodes != (*model->header.map != '\0'))
		return text_file_error(&model->file, err, "[opcodes] and the header's 'map' need one another");
	if (model->has_opcodes && model->header.estimator != ESTIMATOR_TABLE)
		return text_file_error(&model->file, err, "[opcodes] can only be added up: estimator table");
	if (model->header.is_us && (!model->has_opcodes || !model->header.cycle_ps))
		return text_file_error(&model->file, err, "'unit = us' is for [opcodes] and needs 'cycle_ns'");
	if (model->has_opcodes && !opcode_map_resolve(&model->opcodes, err))
		return false;
	return !states_map || set_map_path(model, err);
}

static bool read_model(struct model *model, struct text_problems *problems, struct error *err)
{
	if (!read_rows(model, NULL, problems, err) ||
	    (model->has_opcodes && !opcode_map_read(&model->opcodes, model->map_path, model, err)))
		return false;
	model->note = *model->header.note ? xstrdup(model->header.note) : NULL;
	return true;
}

struct model *model_read(const char *path, struct error *err)
{
	struct model *model = xcalloc(1, sizeof(*model));

	model->path = xstrdup(path);
	if (!read_model(model, NULL, err)) {
		model_destroy(model);
		return NULL;
	}
	return model;
}

void model_check(const char *path, struct text_problems *problems)
{
	struct model *model = xcalloc(1, sizeof(*model));
	struct error err = {0};

	model->path = xstrdup(path);
	if (!read_model(model, problems, &err))
		*ARRAY_ADD(problems, texts) = xstrdup(err.text);
	model_destroy(model);
}

bool model_figure_mcyc(const struct model *model, int64_t milli, mcyc_t *out)
{
	const int64_t ps_per_us = 1000000;
	mcyc_t mcyc = milli;

	if (model->header.is_us)
		mcyc = (milli * ps_per_us + model->header.cycle_ps / 2) / model->header.cycle_ps;
	if (mcyc > (mcyc_t)TEXT_FILE_MAX_CYCLES * MCYC_PER_CYCLE)
		return false;
	*out = mcyc;
	return true;
}

bool model_names_have(const char *names, const char *name)
{
	while (*names) {
		size_t n = strcspn(names, ", ");

		if (n == strlen(name) && strncasecmp(names, name, n) == 0)
			return true;
		names += n;
		names += strspn(names, ", ");
	}
	return false;
}
