#include "cli/model_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/message.h"
#include "costmodels/model/model_path.h"

static bool has_model(const struct model_set *set, const char *name)
{
	for (size_t i = 0; i < set->n_models; i++)
		if (strcmp(model_name(set->models[i]), name) == 0)
			return true;
	return false;
}

/* If a model does not load, the others are still shown. */
static void load_all(struct model_set *set)
{
	struct model_path_files list;

	model_path_list_init(&list);
	for (size_t i = 0; i < list.n_files; i++) {
		struct error err = {0};
		struct model *model;

		if (has_model(set, list.files[i].name))
			continue;
		model = model_load(list.files[i].path, &err);
		if (!model)
			message_error(&err);
		else if (has_model(set, model_name(model)))
			model_destroy(model);
		else
			*ARRAY_ADD(set, models) = model;
	}
	model_path_list_deinit(&list);
}

static bool load(struct model_set *set, const char *name, bool expands_all, struct error *err)
{
	struct model *model;

	if (strcmp(name, "all") == 0) {
		if (expands_all)
			load_all(set);
		return true;
	}
	if (!model_load_once(name, set->models, set->n_models, &model, err))
		return false;
	if (model)
		*ARRAY_ADD(set, models) = model;
	return true;
}

bool model_set_load(struct model_set *set, const char *list, bool expands_all, const char *option, struct error *err)
{
	char *copy = xstrdup(list), *rest = copy, *name;
	bool ok = true;

	/* All names first: loading takes a while. */
	for (const char *at = list; ok && at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (strcspn(at, ",") == 0)
			ok = error_set(err, ERROR_USAGE,
				       "%s '%.200s': a name is empty; 'itrace models' lists the models", option, list);
	while (ok && (name = strsep(&rest, ",")))
		ok = load(set, name, expands_all, err);
	if (ok && expands_all && !set->n_models)
		ok = error_set(err, ERROR_USAGE, "no model is installed; ITRACE_MODEL_PATH may name their folder");
	free(copy);
	return ok;
}

void model_set_deinit(struct model_set *set)
{
	for (size_t i = 0; i < set->n_models; i++)
		model_destroy(set->models[i]);
	free(set->models);
	*set = (struct model_set){0};
}
