/* The search path, names and aliases of models (data/FORMAT.md, "Where models are found"). */
#ifndef ITRACE_COSTMODELS_MODEL_MODEL_PATH_H
#define ITRACE_COSTMODELS_MODEL_MODEL_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Returns whether a model's name is a path: it contains '/' or ends in ".cost". */
bool model_name_is_path(const char *name);

/* Returns whether two paths name the same file. */
bool model_path_is_same_file(const char *path, const char *other);

/* Folders of the search path in order, including ones that do not exist. */
struct model_path {
	char **folders;
	size_t n_folders, folders_capacity;
};
void model_path_init(struct model_path *path);
void model_path_deinit(struct model_path *path);

/* The files NAME.cost of all folders, sorted by NAME. A file hides those with its NAME in later folders. */
struct model_path_file {
	char *name, *path;
};
struct model_path_files {
	struct model_path_file *files;
	size_t n_files, files_capacity;
};
void model_path_list_init(struct model_path_files *list);
void model_path_list_deinit(struct model_path_files *list);

/* Finds the file of the model with this name or alias or, without one, of a model that stands in for it. The caller
 * frees the path. Returns NULL and sets *err, with the closest names, if there is no such file. */
char *model_path_find(const char *name, struct error *err);

#endif
