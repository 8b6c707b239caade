/* Where models are found: the search path, names and aliases (data/FORMAT.md, "Where models are found"). */
#ifndef ITRACE_COSTMODELS_MODEL_MODEL_PATH_H
#define ITRACE_COSTMODELS_MODEL_MODEL_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Whether what the user named as a model is a path. */
bool model_name_is_path(const char *name);

/* The folders of the search path, first one first; those that do not exist, too. */
struct model_path {
	char **folders;
	size_t n_folders, folders_capacity;
};
void model_path_init(struct model_path *path);
void model_path_deinit(struct model_path *path);

/* The files NAME.cost of all folders, by NAME; of several with one name the first folder's. */
struct model_path_file {
	char *name, *path;
};
struct model_path_files {
	struct model_path_file *files;
	size_t n_files, files_capacity;
};
void model_path_list_init(struct model_path_files *list);
void model_path_list_deinit(struct model_path_files *list);

/* The path of the file that has this name or alias, or else stands in for it, to be freed; NULL, and the closest
 * names in *err, if there is none. */
char *model_path_find(const char *name, struct error *err);

#endif
