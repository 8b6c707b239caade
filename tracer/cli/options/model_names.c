#include "cli/options/model_names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static bool has_empty_name(const char *list)
{
	size_t n = strlen(list);

	return n == 0 || list[0] == ',' || list[n - 1] == ',' || strstr(list, ",,");
}

static bool is_among(const char *name, const char *const *names, size_t n_names)
{
	for (size_t i = 0; i < n_names; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

const char **model_names_split(char *list, const char *option, size_t *n_names, struct error *err)
{
	char *rest = list, *name;
	const char **names;
	size_t n_most = 1;

	if (has_empty_name(list)) {
		error_set(err, ERROR_USAGE, "%s '%.200s': a name is empty; 'itrace models' lists the models", option,
			  list);
		return NULL;
	}
	for (const char *at = list; *at; at++)
		n_most += *at == ',';
	names = xcalloc(n_most, sizeof(*names));
	*n_names = 0;
	while ((name = strsep(&rest, ",")))
		if (!is_among(name, names, *n_names))
			names[(*n_names)++] = name;
	return names;
}
