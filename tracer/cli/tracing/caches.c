#include "cli/tracing/caches.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/options/model_names.h"

static bool add_model(struct cache_recorder *tally, const char *name, bool must, size_t *n_added, struct error *err)
{
	struct model *model = model_load(name, err);
	struct cache_geometry geometry;
	bool has_caches;

	if (!model)
		return false;
	has_caches = cache_geometry_from_model(model, &geometry);
	model_destroy(model);
	if (has_caches) {
		cache_recorder_add_geometry(tally, &geometry);
		++*n_added;
	}
	return has_caches || !must ||
	       error_set(err, ERROR_USAGE, "--caches: the model %s does not say what its caches are", name);
}

static bool add_named(struct cache_recorder *tally, const char *list, size_t *n_added, struct error *err)
{
	char *copy = xstrdup(list);
	size_t n_names = 0;
	const char **names = model_names_split(copy, "--caches", &n_names, err);
	bool ok = names;

	for (size_t i = 0; ok && i < n_names; i++)
		ok = add_model(tally, names[i], true, n_added, err);
	free(names);
	free(copy);
	return ok;
}

struct cache_recorder *caches_create(const struct options *options, struct error *err)
{
	struct cache_recorder *tally = cache_recorder_create();
	size_t n_added = 0;
	bool ok = true;

	if (options->cache_models)
		ok = add_named(tally, options->cache_models, &n_added, err);
	else
		for (size_t i = 0; ok && i < options->n_model_names; i++)
			ok = strcmp(options->model_names[i], "all") == 0 ||
			     add_model(tally, options->model_names[i], false, &n_added, err);
	if (ok && !n_added)
		ok = error_set(err, ERROR_USAGE,
			       "--caches: none of the models says what its caches are; --caches=MODEL,... names "
			       "some, such as skylake");
	if (ok)
		return tally;
	cache_recorder_destroy(tally);
	return NULL;
}
