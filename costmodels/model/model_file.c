#include "costmodels/model/model_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "costmodels/model/model_path.h"

#define TYPICAL_ROW_BYTES 64 /* used to reserve memory; any other length works, too */

static int folder_bytes(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (int)(slash + 1 - path) : 0;
}

static bool read_parameter(struct model *model, char *line, struct error *err)
{
	struct model_parameter *parameter = NULL;
	char *key, *value;

	if (!text_cut_assignment(line, &key, &value) || !text_is_word(key, "_") || !*value || !text_is_printable(value))
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

/* `form` is the line of the row, which form_table_add_row() has cut after the form. */
static bool check_form(const struct model *model, const char *form, struct error *err)
{
	char *problem = model->form_check ? model->form_check->explain(model->form_check->context, form) : NULL;

	if (!problem)
		return true;
	text_file_error(&model->file, err, "%s", problem);
	free(problem);
	return false;
}

static bool read_form(struct model *model, char *line, struct error *err)
{
	return form_table_add_row(&model->forms, &model->file, line, err) && check_form(model, line, err);
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
		return text_file_error(&model->file, err,
				       "'%s' is not a section; expected [parameters], [forms] or [opcodes]", *section);
	}
	for (;;) {
		bool ok;

		if (!text_file_next(&model->file, &line, err))
			return false;
		if (!line || *line == '[')
			break;
		ok = kind == PARAMETERS ? read_parameter(model, line, err)
		     : kind == FORMS	? read_form(model, line, err)
					: opcode_map_add_opcode(&model->opcodes, &model->file, line, err);
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

/* The chain of files from the one that is read to the one that was requested. */
struct chain {
	const struct model *model;
	const struct chain *child;
};

static bool check_chain(const struct chain *chain, const char *path, struct error *err)
{
	const struct model *model = chain->model;
	unsigned n = 1;

	for (const struct chain *at = chain; at; at = at->child, n++)
		if (model_path_is_same_file(at->model->path, path))
			return text_file_error(&model->file, err, "'inherit = %s' forms a cycle through %s",
					       model->header.inherit, at->model->path);
	if (n > MODEL_MAX_INHERITANCE)
		return text_file_error(&model->file, err, "'inherit = %s' makes a chain of more than %d files",
				       model->header.inherit, MODEL_MAX_INHERITANCE);
	return true;
}

/* Returns the path of the parent. `inherit` is a name, or a path relative to this file's folder. */
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

static bool read_rows(struct model *model, const struct chain *child, struct text_problems *problems,
		      struct error *err);

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
	model_header_inherit(&model->header, &parent->header);
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

/* A map is in the same folder as the model that names it. */
static bool set_map_path(struct model *model, struct error *err)
{
	if (!text_is_word(model->header.map, "._+-"))
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

/* Reads a file except its map. A model that inherits the map reads it later with its own figures. */
static bool read_rows(struct model *model, const struct chain *child, struct text_problems *problems, struct error *err)
{
	struct chain chain = {model, child};
	size_t n_problems = problems ? problems->n_texts : 0;
	bool states_map, lacks_parent;
	unsigned line;
	char *section;

	if (!text_file_open(&model->file, model->path, 0, err))
		return false;
	model->file.problems = problems;
	if (!model_header_read(&model->file, &model->header, &section, err))
		return false;
	states_map = *model->header.map;
	line = model->file.line;
	lacks_parent = *model->header.inherit && !read_parent(model, &chain, err);
	if (lacks_parent && !text_file_recover(&model->file, err))
		return false;
	model->file.line = line;
	if (!read_sections(model, section, err))
		return false;
	if (lacks_parent) /* The checks below need the parent's values. */
		return false;
	set_source(model);
	if (model->has_forms == model->has_opcodes)
		return text_file_error(&model->file, err, "a model must have either [forms] or [opcodes]");
	if (model->forms.n_rows + model->opcodes.n_opcodes == 0 && (!problems || problems->n_texts == n_problems))
		return text_file_error(&model->file, err, "model has no rows");
	if (model->has_opcodes != (*model->header.map != '\0'))
		return text_file_error(&model->file, err, "[opcodes] and the header key 'map' require each other");
	if (model->has_opcodes && model->header.estimator != ESTIMATOR_TABLE)
		return text_file_error(&model->file, err, "[opcodes] requires estimator = table");
	if (model->header.is_us && (!model->has_opcodes || !model->header.cycle_ps))
		return text_file_error(&model->file, err, "'unit = us' requires [opcodes] and 'cycle_ns'");
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

void model_check(const char *path, const struct model_form_check *forms, struct text_problems *problems)
{
	struct model *model = xcalloc(1, sizeof(*model));
	struct error err = {0};

	model->path = xstrdup(path);
	model->form_check = forms;
	if (!read_model(model, problems, &err) && err.kind)
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
