#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "costmodels/estimators/pipeline/machine.h"
#include "costmodels/model/model_private.h"

#define MAGIC "itrace-pipeline-rules 1"

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

/* One word of the facts, up to a space or the end. */
static bool apply_fact(const char *word, size_t n, struct rule_facts *out)
{
	static const struct {
		const char *key;
		size_t offset;
	} numbers[] = {
		{"latency=", offsetof(struct rule_facts, latency)},
		{"merge=", offsetof(struct rule_facts, merge)},
		{"fused=", offsetof(struct rule_facts, fused)},
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
		out->n_ports_text = n - strlen("ports=");
		return true;
	}
	return false;
}

static bool apply_facts(const char *facts, struct rule_facts *out)
{
	for (facts += strspn(facts, " "); *facts; facts += strspn(facts, " ")) {
		size_t n = strcspn(facts, " ");

		if (!apply_fact(facts, n, out))
			return false;
		facts += n;
	}
	return true;
}

/* Whether a list between spaces has the word, or is "*". */
static bool has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	if (strcmp(list, "*") == 0)
		return true;
	while (*list) {
		size_t n_word = strcspn(list, " ");

		if (n_word == n && strncasecmp(list, word, n) == 0)
			return true;
		list += n_word;
		list += strspn(list, " ");
	}
	return false;
}

/* Rules for a model are rules for its heirs. */
static bool concerns(const struct model *model, const char *cpus)
{
	for (; model; model = model->parent)
		if (has_word(cpus, model_name(model)))
			return true;
	return false;
}

static bool matches_any(const char *patterns, const char *form)
{
	while (*patterns) {
		size_t n = strcspn(patterns, ";");
		char pattern[256];

		/* rules_read has checked the length */
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

bool rules_apply(const struct pipeline *pipeline, const char *form, struct rule_facts *out)
{
	bool any = false;

	for (size_t i = 0; i < pipeline->n_rules; i++)
		if (matches_any(pipeline->rules[i].patterns, form)) {
			apply_facts(pipeline->rules[i].facts, out);
			any = true;
		}
	return any;
}

static bool read_rule(struct pipeline *pipeline, char *line, struct error *err)
{
	enum { PATTERNS, CPUS, FACTS, SOURCE, N_CELLS };
	const struct text_file *file = &pipeline->rules_file;
	struct rule_facts facts = {0};
	char *cells[N_CELLS];

	if (!text_cut_cells(line, cells, N_CELLS) || !*cells[PATTERNS] || !*cells[CPUS] || !*cells[FACTS] ||
	    !*cells[SOURCE])
		return text_file_error(file, err, "a rule has four cells: patterns, CPUs, facts, source");
	for (const char *at = cells[PATTERNS]; *at; at += strspn(at, ";")) {
		if (strcspn(at, ";") >= 256)
			return text_file_error(file, err, "a pattern of more than 255 bytes");
		at += strcspn(at, ";");
	}
	if (!apply_facts(cells[FACTS], &facts))
		return text_file_error(file, err, "facts '%.80s' are not understood", cells[FACTS]);
	if (concerns(pipeline->model, cells[CPUS]))
		*ARRAY_ADD(pipeline, rules) = (struct rule){.patterns = cells[PATTERNS],
							    .cpus = cells[CPUS],
							    .facts = cells[FACTS],
							    .line = file->line};
	return true;
}

/* The file that states the parameter, which an heir has from elsewhere; NULL if none does. */
static const char *stated_in(const struct model *model, const char *key)
{
	for (size_t i = 0; i < model->n_parameters; i++)
		if (strcmp(model->parameters[i].key, key) == 0)
			return model->parameters[i].file->path;
	return NULL;
}

bool rules_read(struct pipeline *pipeline, struct error *err)
{
	const char *name = model_parameter(pipeline->model, "pipeline_rules");
	const char *path = stated_in(pipeline->model, "pipeline_rules"), *slash;
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
		return text_file_error(&pipeline->rules_file, err, "no rules: the first line must be '" MAGIC "'");
	for (;;) {
		if (!text_file_next(&pipeline->rules_file, &line, err))
			return false;
		if (!line)
			return true;
		if (!read_rule(pipeline, line, err))
			return false;
	}
}
