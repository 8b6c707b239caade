#include "costmodels/model/model_header.h"

#include <stddef.h>
#include <string.h>

#include "base/array.h"

#define MAGIC "itrace-cost-model"
#define HEADER_BYTES ((size_t)16 << 10) /* limit when reading a header alone; the longest is below 1 KiB */

static const struct header_key {
	const char *key;
	size_t offset;
	bool required; /* unless inherited; the name is never inherited */
} header_keys[] = {
	{"name", offsetof(struct model_header, name), true},
	{"aliases", offsetof(struct model_header, aliases), false},
	{"stands_in", offsetof(struct model_header, stands_in_for), false},
	{"inherit", offsetof(struct model_header, inherit), false},
	{"title", offsetof(struct model_header, title), true},
	{"vendor", offsetof(struct model_header, vendor), false},
	{"year", offsetof(struct model_header, year_text), false},
	{"clock_mhz", offsetof(struct model_header, clock_mhz), false},
	{"cycle_ns", offsetof(struct model_header, cycle_ns), false},
	{"unit", offsetof(struct model_header, unit), false},
	{"rank", offsetof(struct model_header, ranking_text), true},
	{"estimator", offsetof(struct model_header, estimator_text), false},
	{"source", offsetof(struct model_header, source), true},
	{"note", offsetof(struct model_header, note), false},
	{"map", offsetof(struct model_header, map), false},
};

/* Keys that are never inherited. */
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
		return text_file_error(file, err, "not a cost model: the first line must be '" MAGIC " 1'");
	}
	if (strcmp(line + n + 1, "1") != 0)
		return text_file_error(file, err, "unsupported format version %.20s; this itrace reads version 1",
				       line + n + 1) ||
		       text_file_recover(file, err);
	return true;
}

static bool parse_header_value(const struct text_file *file, struct model_header *header, const char *key,
			       const char *value, struct error *err)
{
	uint64_t year;

	if (strcmp(key, "name") == 0 && !text_is_word(value, "._+-"))
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
		return text_file_error(file, err, "clock_mhz and cycle_ns are both stated; keep one of them");
	if (strcmp(key, "unit") == 0) {
		if (strcmp(value, "us") != 0 && strcmp(value, "cycles") != 0)
			return text_file_error(file, err, "unit '%s': must be cycles or us", value);
		header->is_us = *value == 'u';
	}
	if (strcmp(key, "inherit") == 0)
		header->inherit_line = file->line;
	if ((strcmp(key, "aliases") == 0 || strcmp(key, "stands_in") == 0) && !text_is_word(value, "._+-, "))
		return text_file_error(file, err, "%s '%s': must be names with commas between them", key, value);
	if (strcmp(key, "rank") == 0) {
		if (strcmp(value, "latency") != 0 && strcmp(value, "throughput") != 0)
			return text_file_error(file, err, "rank '%s': must be latency or throughput", value);
		header->ranking_column = *value == 'l' ? COST_LATENCY : COST_RECIPROCAL_THROUGHPUT;
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
	return text_file_error(file, err, "'%s' is not a header key", key);
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

bool model_header_read(struct text_file *file, struct model_header *header, char **section, struct error *err)
{
	for (size_t i = 0; i < ARRAY_LENGTH(header_keys); i++)
		*header_value(header, &header_keys[i]) = "";
	if (!check_magic(file, err))
		return false;
	for (;;) {
		if (!text_file_next(file, section, err))
			return false;
		if (!*section || **section == '[')
			return check_required(file, header, err);
		if (!read_header_line(file, header, *section, err) && !text_file_recover(file, err))
			return false;
	}
}

bool model_header_read_alone(const char *path, struct text_file *file, struct model_header *out, struct error *err)
{
	struct model_header header = {0};
	struct text_file opened;
	char *section;

	if (!text_file_open(&opened, path, HEADER_BYTES, err))
		return false;
	if (!model_header_read(&opened, &header, &section, err)) {
		text_file_close(&opened);
		return false;
	}
	*file = opened;
	*out = header;
	return true;
}

static bool is_own_key(const char *key)
{
	for (size_t i = 0; i < ARRAY_LENGTH(own_keys); i++)
		if (strcmp(own_keys[i], key) == 0)
			return true;
	return false;
}

void model_header_inherit(struct model_header *header, const struct model_header *parent)
{
	struct model_header from = *parent;
	bool has_clock = *header->clock_mhz || *header->cycle_ns;

	if (!*header->year_text)
		header->year = from.year;
	if (!*header->ranking_text)
		header->ranking_column = from.ranking_column;
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
