/* Lists of models on the command line, such as "skylake,zen4". */
#ifndef ITRACE_CLI_OPTIONS_MODEL_NAMES_H
#define ITRACE_CLI_OPTIONS_MODEL_NAMES_H

#include <stddef.h>

#include "base/error.h"

/* The names in a list, in its order, each once: [*n_names], to be freed. They lie in `list`, where commas become ends. option: which had
 * the list. NULL: a name is empty. */
const char **model_names_split(char *list, const char *option, size_t *n_names, struct error *err);

#endif
