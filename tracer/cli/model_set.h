/* The cost models that a command line names. */
#ifndef ITRACE_CLI_MODEL_SET_H
#define ITRACE_CLI_MODEL_SET_H

#include "base/error.h"
#include "costmodels/model/model.h"

struct model_set {
	struct model **models; /* [n_models], each once */
	size_t n_models, models_capacity;
};

/* Adds the models in a list such as "skylake,zen4" to a set that is zeroed at first. With expands_all, "all" adds every
 * installed model, and models that do not load are named on stderr; without it, "all" is ignored. option: the name of
 * the option that has the list, such as "--model", for messages. Call model_set_deinit also after an error. */
bool model_set_load(struct model_set *set, const char *list, bool expands_all, const char *option, struct error *err);
void model_set_deinit(struct model_set *set);

#endif
