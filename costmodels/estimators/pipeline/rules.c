#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "costmodels/estimators/pipeline/machine.h"
#include "costmodels/model/model_private.h"

#define MAGIC "itrace-pipeline-rules 1"
#define PATTERN_MAX_BYTES 255

static const struct {
	const char *word;
	uint32_t flag;
} flag_words[] = {
	{"zero", FORM_ZERO},
	{"independent", FORM_INDEPENDENT},
	{"move", FORM_MOVE},
	{"nop", FORM_NOP},
	{"merges", FORM_MERGES},
	{"fuse_test", FORM_FUSE_TEST},
	{"fuse_compare", FORM_FUSE_COMPARE},
	{"fuse_count", FORM_FUSE_COUNT},
	{"no_fusion", FORM_NO_FUSION},
	{"complex", FORM_COMPLEX},
	{"flags_only", FORM_FLAGS_ONLY},
};

/* Applies one word of the attributes: n bytes that may be followed by a space. */
static bool apply_attribute(const char *word, size_t n, struct rule_attributes *out)
{
	static const struct {
		const char *key;
		size_t offset;
	} numbers[] = {
		{"latency=", offsetof(struct rule_attributes, latency)},
		{"merge=", offsetof(struct rule_attributes, merge)},
		{"fused=", offsetof(struct rule_attributes, fused)},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(flag_words); i++)
		if (strlen(flag_words[i].word) == n && strncmp(word, flag_words[i].word, n) == 0) {
			out->flags |= flag_words[i].flag;
			return true;
		}
	for (size_t i = 0; i < ARRAY_LENGTH(numbers); i++) {
		size_t n_key = strlen(numbers[i].key);
		char *end;

		if (n <= n_key || strncmp(word, numbers[i].key, n_key) != 0)
			continue;
		*(int32_t *)((char *)out + numbers[i].offset) = (int32_t)strtoul(word + n_key, &end, 10);
		return end == word + n;
	}
	if (n > strlen("ports=") && strncmp(word, "ports=", strlen("ports=")) == 0) {
		out->ports = word + strlen("ports=");
		out->ports_length = n - strlen("ports=");
		return true;
	}
	return false;
}

static bool apply_attributes(const char *attributes, struct rule_attributes *out)
{
	for (attributes += strspn(attributes, " "); *attributes; attributes += strspn(attributes, " ")) {
		size_t n = strcspn(attributes, " ");

		if (!apply_attribute(attributes, n, out))
			return false;
		attributes += n;
	}
	return true;
}

/* A rule for a model applies to all models that inherit from it. */
static bool applies_to(const struct model *model, const char *cpus)
{
	if (strcmp(cpus, "*") == 0)
		return true;
	while (model && !text_list_has(cpus, model_name(model)))
		model = model->parent;
	return model != NULL;
}

static bool matches_any(const char *patterns, const char *form)
{
	while (*patterns) {
		size_t n = strcspn(patterns, ";");
		char pattern[PATTERN_MAX_BYTES + 1];

		/* read_rule checked the length. */
		memcpy(pattern, patterns, n);
		while (n && pattern[n - 1] == ' ')
			n--;
		pattern[n] = '\0';
		if (text_matches(pattern, form))
			return true;
		patterns += strcspn(patterns, ";");
		patterns += strspn(patterns, "; ");
	}
	return false;
}

bool machine_apply_rules(const struct pipeline *pipeline, const char *form, struct rule_attributes *out)
{
	bool any = false;

	for (size_t i = 0; i < pipeline->n_rules; i++)
		if (matches_any(pipeline->rules[i].patterns, form)) {
			apply_attributes(pipeline->rules[i].attributes, out);
			any = true;
		}
	return any;
}

static bool read_rule(struct pipeline *pipeline, char *line, struct error *err)
{
	enum { PATTERNS, CPUS, ATTRIBUTES, SOURCE, N_CELLS };
	const struct text_file *file = &pipeline->rules_file;
	struct rule_attributes attributes = {0};
	char *cells[N_CELLS];

	if (!text_cut_cells(line, cells, N_CELLS) || !*cells[PATTERNS] || !*cells[CPUS] || !*cells[ATTRIBUTES] ||
	    !*cells[SOURCE])
		return text_file_error(file, err, "a rule has four cells: patterns, CPUs, attributes, source");
	for (const char *at = cells[PATTERNS]; *at; at += strspn(at, ";")) {
		if (strcspn(at, ";") > PATTERN_MAX_BYTES)
			return text_file_error(file, err, "pattern is longer than %d bytes", PATTERN_MAX_BYTES);
		at += strcspn(at, ";");
	}
	if (!apply_attributes(cells[ATTRIBUTES], &attributes))
		return text_file_error(file, err, "attributes '%.80s' are not valid", cells[ATTRIBUTES]);
	if (applies_to(pipeline->model, cells[CPUS]))
		*ARRAY_ADD(pipeline, rules) = (struct rule){cells[PATTERNS], cells[ATTRIBUTES]};
	return true;
}

/* Returns the path of the file that states the parameter, or NULL. The file may be one that the model inherits. */
static const char *find_stating_file(const struct model *model, const char *key)
{
	for (size_t i = 0; i < model->n_parameters; i++)
		if (strcmp(model->parameters[i].key, key) == 0)
			return model->parameters[i].file->path;
	return NULL;
}

bool machine_read_rules(struct pipeline *pipeline, struct error *err)
{
	const char *name = model_parameter(pipeline->model, "pipeline_rules");
	const char *path = find_stating_file(pipeline->model, "pipeline_rules"), *slash;
	char *line;

	if (!name || strchr(name, '/'))
		return error_set(err, ERROR_USAGE,
				 "model %s has no rules for the pipeline; 'itrace models' lists other models",
				 model_name(pipeline->model));
	slash = strrchr(path, '/');
	pipeline->rules_path = xasprintf("%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, name);
	if (!text_file_open(&pipeline->rules_file, pipeline->rules_path, 0, err) ||
	    !text_file_next(&pipeline->rules_file, &line, err))
		return false;
	if (!line || strcmp(line, MAGIC) != 0)
		return text_file_error(&pipeline->rules_file, err,
				       "not a file of pipeline rules: the first line must be '" MAGIC "'");
	for (;;) {
		if (!text_file_next(&pipeline->rules_file, &line, err))
			return false;
		if (!line)
			return true;
		if (!read_rule(pipeline, line, err))
			return false;
	}
}
