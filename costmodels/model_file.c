#include "costmodels/model_file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"

#define MAGIC "itrace-cost-model"
#define HEADER_BYTES ((size_t)16 << 10) /* a header that is read alone must fit; the longest is below 1 KiB */

#define TYPICAL_ROW_BYTES 64

static const struct header_key {
	const char *key;
	size_t offset;
	bool required;
} header_keys[] = {
	{"name", offsetof(struct model_header, name), true},
	{"aliases", offsetof(struct model_header, aliases), false},
	{"title", offsetof(struct model_header, title), true},
	{"vendor", offsetof(struct model_header, vendor), false},
	{"year", offsetof(struct model_header, year_text), false},
	{"clock_mhz", offsetof(struct model_header, clock_mhz), false},
	{"cycle_ns", offsetof(struct model_header, cycle_ns), false},
	{"rank", offsetof(struct model_header, rank_text), true},
	{"estimator", offsetof(struct model_header, estimator_text), false},
	{"source", offsetof(struct model_header, source), true},
	{"map", offsetof(struct model_header, map), false},
};

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

/* Leaves the section's name in *section, NULL at the end of the file. */
static bool read_header(struct text_file *file, struct model_header *header, char **section, struct error *err)
{
	for (size_t i = 0; i < ARRAY_LENGTH(header_keys); i++)
		*header_value(header, &header_keys[i]) = "";
	if (!check_magic(file, err))
		return false;
	for (;;) {
		if (!text_file_next(file, section, err))
			return false;
		if (!*section || **section == '[')
			break;
		if (!read_header_line(file, header, *section, err))
			return false;
	}
	for (size_t i = 0; i < ARRAY_LENGTH(header_keys); i++)
		if (header_keys[i].required && !**header_value(header, &header_keys[i]))
			return text_file_error(file, err, "the header lacks '%s'", header_keys[i].key);
	return true;
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
	char *key, *value;

	if (!text_cut_assignment(line, &key, &value) || !is_word(key, "_") || !*value || !text_is_printable(value))
		return text_file_error(&model->file, err, "'%s': must be 'key = value' in printable ASCII", line);
	if (model_parameter(model, key))
		return text_file_error(&model->file, err, "parameter '%s' is stated twice", key);
	*ARRAY_ADD(model, parameters) = (struct model_parameter){key, value};
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
		form_table_reserve(&model->forms, model->file.n_bytes / TYPICAL_ROW_BYTES);
	} else if (strcmp(*section, "[opcodes]") == 0) {
		kind = OPCODES;
		model->has_opcodes = true;
	} else {
		return text_file_error(&model->file, err, "'%s' is no section", *section);
	}
	for (;;) {
		if (!text_file_next(&model->file, &line, err))
			return false;
		if (!line || *line == '[')
			break;
		if (kind == PARAMETERS ? !read_parameter(model, line, err)
		    : kind == FORMS    ? !form_table_add(&model->forms, &model->file, line, err)
				       : !opcode_map_add_opcode(&model->opcodes, &model->file, line, err))
			return false;
	}
	*section = line;
	return true;
}

/* A map lies beside the model that names it. */
static bool read_map(struct model *model, struct error *err)
{
	const char *slash = strrchr(model->path, '/');
	int folder_bytes = slash ? (int)(slash + 1 - model->path) : 0;
	char *path;
	bool ok;

	if (!is_word(model->header.map, "._+-"))
		return text_file_error(&model->file, err, "map '%s': must be the name of a file beside this one",
				       model->header.map);
	path = xasprintf("%.*s%s", folder_bytes, model->path, model->header.map);
	ok = opcode_map_read(&model->opcodes, path, model, err);
	free(path);
	return ok;
}

static bool read_model(struct model *model, struct error *err)
{
	char *section;

	if (!text_file_open(&model->file, model->path, 0, err) ||
	    !read_header(&model->file, &model->header, &section, err))
		return false;
	while (section)
		if (!read_section(model, &section, err))
			return false;
	if (model->has_forms == model->has_opcodes)
		return text_file_error(&model->file, err, "a model has either [forms] or [opcodes]");
	if (model->forms.n_rows + model->opcodes.n_opcodes == 0)
		return text_file_error(&model->file, err, "a model without a row");
	if (model->has_opcodes != (*model->header.map != '\0'))
		return text_file_error(&model->file, err, "[opcodes] and the header's 'map' need one another");
	if (model->has_opcodes && model->header.estimator != ESTIMATOR_TABLE)
		return text_file_error(&model->file, err, "[opcodes] can only be added up: estimator table");
	return model->has_forms || read_map(model, err);
}

struct model *model_read(const char *path, struct error *err)
{
	struct model *model = xcalloc(1, sizeof(*model));

	model->path = xstrdup(path);
	if (!read_model(model, err)) {
		model_destroy(model);
		return NULL;
	}
	return model;
}
