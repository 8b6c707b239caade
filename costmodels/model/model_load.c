/* Loads models by name and lists installed ones. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "costmodels/model/host.h"
#include "costmodels/model/model_path.h"
#include "costmodels/model/model_private.h"

static void add_note(struct model *model, char *note)
{
	char *both = model->note ? xasprintf("%s; %s", note, model->note) : xstrdup(note);

	free(note);
	free(model->note);
	model->note = both;
}

static struct model *load_host(struct error *err)
{
	struct host_cpu cpu;
	struct model *model;

	if (!host_find(&cpu, err))
		return NULL;
	model = model_load(cpu.model, err);
	if (model && !cpu.is_exact)
		add_note(model, xasprintf("nearest to this machine's %s, which has no model", cpu.text));
	return model;
}

struct model *model_load(const char *name_or_path, struct error *err)
{
	struct error unknown = {0};
	struct model *model;
	char *path;

	if (model_name_is_path(name_or_path))
		return model_read(name_or_path, err);
	path = model_path_find(name_or_path, &unknown);
	if (!path && strcasecmp(name_or_path, "host") == 0)
		return load_host(err); /* A model with the name "host" has priority. */
	if (!path) {
		*err = unknown;
		return NULL;
	}
	model = model_read(path, err);
	free(path);
	if (model && text_list_has(model->header.stands_in_for, name_or_path))
		add_note(model, xasprintf("stands in for %s, which has no figures of its own", name_or_path));
	return model;
}

/* Adds the other model's note, without the note of the file, from which both models come. */
static void take_note(struct model *model, const struct model *other)
{
	const char *own = other->header.note, *separator = *own ? "; " : "";
	char *added;

	if (!other->note || strcmp(other->note, own) == 0)
		return;
	added = xasprintf("%.*s", (int)(strlen(other->note) - strlen(own) - strlen(separator)), other->note);
	if (*added && !(model->note && strstr(model->note, added)))
		add_note(model, added);
	else
		free(added);
}

bool model_load_once(const char *name_or_path, struct model *const *models, size_t n_models, struct model **model,
		     struct error *err)
{
	*model = model_load(name_or_path, err);
	if (!*model)
		return false;
	for (size_t i = 0; i < n_models; i++) {
		if (!model_path_is_same_file(models[i]->path, (*model)->path))
			continue;
		take_note(models[i], *model);
		model_destroy(*model);
		*model = NULL;
		break;
	}
	return true;
}

static void describe(struct model_info *info, const struct model_path_file *file)
{
	struct error err = {0};
	struct model *model = model_read(file->path, &err);

	info->path = xstrdup(file->path);
	info->name = xstrdup(model ? model_name(model) : file->name);
	info->title = xstrdup(model ? model_title(model) : "");
	info->vendor = xstrdup(model ? model_vendor(model) : "");
	info->source = xstrdup(model ? model_source(model) : "");
	info->note = xstrdup(model && model->note ? model->note : "");
	info->problem = model ? NULL : xstrdup(err.text);
	info->year = model ? model_year(model) : 0;
	info->n_rows = model ? model_n_rows(model) : 0;
	info->estimator = model ? model_estimator(model) : ESTIMATOR_TABLE;
	model_destroy(model);
}

static int compare_infos(const void *a, const void *b)
{
	return strcasecmp(((const struct model_info *)a)->name, ((const struct model_info *)b)->name);
}

void model_list_init(struct model_list *list)
{
	struct model_path_files files;

	*list = (struct model_list){0};
	model_path_list_init(&files);
	for (size_t i = 0; i < files.n_files; i++)
		describe(ARRAY_ADD(list, models), &files.files[i]);
	model_path_list_deinit(&files);
	if (list->n_models)
		qsort(list->models, list->n_models, sizeof(*list->models), compare_infos);
}

void model_list_deinit(struct model_list *list)
{
	for (size_t i = 0; i < list->n_models; i++) {
		struct model_info *info = &list->models[i];

		free(info->name);
		free(info->title);
		free(info->vendor);
		free(info->source);
		free(info->path);
		free(info->note);
		free(info->problem);
	}
	free(list->models);
	*list = (struct model_list){0};
}
