/* The cost models that a command line names. */
#ifndef ITRACE_CLI_MODEL_SET_H
#define ITRACE_CLI_MODEL_SET_H

#include "base/error.h"
#include "costmodels/model/model.h"

struct model_set {
	struct model **models; /* [n_models], each once */
	size_t n_models, models_capacity;
};

/* Adds the models in a list such as "skylake,zen4" to a set that is zeroed at first. "all" adds every installed
 * model, and prints which do not load, or is ignored without `expands_all`. option: had the list, such as "--model".
 * model_set_deinit is due whatever the result. */
bool model_set_load(struct model_set *set, const char *list, bool expands_all, const char *option, struct error *err);
void model_set_deinit(struct model_set *set);

#endif
