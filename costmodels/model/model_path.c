#include "costmodels/model/model_path.h"

#include <dirent.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/edit_distance.h"
#include "costmodels/model/model_header.h"

#define SUFFIX ".cost"
#define N_CLOSEST 3

bool model_name_is_path(const char *name)
{
	size_t n = strlen(name);

	return strchr(name, '/') || (n > strlen(SUFFIX) && strcmp(name + n - strlen(SUFFIX), SUFFIX) == 0);
}

bool model_path_is_same_file(const char *path, const char *other)
{
	struct stat status, others;

	return stat(path, &status) == 0 && stat(other, &others) == 0 && status.st_dev == others.st_dev &&
	       status.st_ino == others.st_ino;
}

static void add_folder(struct model_path *path, char *folder)
{
	*ARRAY_ADD(path, folders) = folder;
}

static void add_folders_of_variable(struct model_path *path)
{
	const char *at = getenv("ITRACE_MODEL_PATH");

	while (at && *at) {
		int n = (int)strcspn(at, ":");

		if (n)
			add_folder(path, xasprintf("%.*s", n, at));
		at += n + (at[n] == ':');
	}
}

/* XDG Base Directory Specification: unset, empty and relative values mean the default. */
static void add_folder_of_user(struct model_path *path)
{
	const char *config = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");

	if (config && *config == '/')
		add_folder(path, xasprintf("%s/itrace/models", config));
	else if (home && *home)
		add_folder(path, xasprintf("%s/.config/itrace/models", home));
}

static void add_folders_of_program(struct model_path *path)
{
	char program[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);

	if (n <= 0)
		return;
	program[n] = '\0';
	*strrchr(program, '/') = '\0';				    /* the kernel returns absolute paths */
	add_folder(path, xasprintf("%s/costmodels/data", program)); /* a build directory */
	add_folder(path, xasprintf("%s/../share/itrace/models", program));
}

void model_path_init(struct model_path *path)
{
	*path = (struct model_path){0};
	add_folders_of_variable(path);
	add_folder_of_user(path);
	add_folders_of_program(path);
	add_folder(path, xstrdup(ITRACE_DATADIR "/models"));
}

void model_path_deinit(struct model_path *path)
{
	for (size_t i = 0; i < path->n_folders; i++)
		free(path->folders[i]);
	free(path->folders);
	*path = (struct model_path){0};
}

static const struct model_path_file *find_file(const struct model_path_files *list, const char *name)
{
	for (size_t i = 0; i < list->n_files; i++)
		if (strcasecmp(list->files[i].name, name) == 0)
			return &list->files[i];
	return NULL;
}

static void list_folder(struct model_path_files *list, const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		size_t n = strlen(entry->d_name);
		char *name;

		if (n <= strlen(SUFFIX) || strcmp(entry->d_name + n - strlen(SUFFIX), SUFFIX) != 0)
			continue;
		name = xasprintf("%.*s", (int)(n - strlen(SUFFIX)), entry->d_name);
		if (find_file(list, name))
			free(name);
		else
			*ARRAY_ADD(list, files) = (struct model_path_file){name,
									   xasprintf("%s/%s", folder, entry->d_name)};
	}
	closedir(dir);
}

static int compare_files(const void *a, const void *b)
{
	return strcasecmp(((const struct model_path_file *)a)->name, ((const struct model_path_file *)b)->name);
}

void model_path_list_init(struct model_path_files *list)
{
	struct model_path path;

	*list = (struct model_path_files){0};
	model_path_init(&path);
	for (size_t i = 0; i < path.n_folders; i++)
		list_folder(list, path.folders[i]);
	model_path_deinit(&path);
	if (list->n_files)
		qsort(list->files, list->n_files, sizeof(*list->files), compare_files);
}

void model_path_list_deinit(struct model_path_files *list)
{
	for (size_t i = 0; i < list->n_files; i++) {
		free(list->files[i].name);
		free(list->files[i].path);
	}
	free(list->files);
	*list = (struct model_path_files){0};
}

/* The closest names so far, by ascending distance. */
struct closest {
	char *names[N_CLOSEST];
	size_t distances[N_CLOSEST];
	size_t n;
};

static void closest_offer(struct closest *closest, const char *wanted, const char *name)
{
	/* Users abbreviate: "sky" for "skylake", although most letters are missing. */
	bool is_prefix = strncasecmp(wanted, name, strlen(wanted)) == 0;
	size_t distance = is_prefix ? 1 : edit_distance(wanted, name);
	size_t at = closest->n;

	if (!is_prefix && !edit_is_typo(wanted, name))
		return;
	for (size_t i = 0; i < closest->n; i++)
		if (strcasecmp(closest->names[i], name) == 0)
			return;
	while (at > 0 && distance < closest->distances[at - 1])
		at--;
	if (at == N_CLOSEST)
		return;
	if (closest->n == N_CLOSEST)
		free(closest->names[--closest->n]);
	memmove(&closest->names[at + 1], &closest->names[at], (closest->n - at) * sizeof(closest->names[0]));
	memmove(&closest->distances[at + 1], &closest->distances[at],
		(closest->n - at) * sizeof(closest->distances[0]));
	closest->names[at] = xstrdup(name);
	closest->distances[at] = distance;
	closest->n++;
}

static void offer_names(struct closest *closest, const char *wanted, const char *names)
{
	while (*names) {
		char *name = xasprintf("%.*s", (int)strcspn(names, ", "), names);

		closest_offer(closest, wanted, name);
		names += strlen(name);
		names += strspn(names, ", ");
		free(name);
	}
}

enum name_match { NAME_DIFFERS, NAME_OF_STAND_IN, NAME_MATCHES };

/* Compares a name with those of the file. Adds the file's names to *closest. */
static enum name_match compare_name(const struct model_path_file *file, const char *name, struct closest *closest)
{
	enum name_match match = NAME_DIFFERS;
	struct text_file text;
	struct model_header header;
	struct error ignored;

	closest_offer(closest, name, file->name);
	if (!model_header_read_alone(file->path, &text, &header, &ignored))
		return NAME_DIFFERS; /* Loading the file by its own name reports the error. */
	if (strcasecmp(header.name, name) == 0 || text_list_has(header.aliases, name))
		match = NAME_MATCHES;
	else if (text_list_has(header.stands_in_for, name))
		match = NAME_OF_STAND_IN;
	offer_names(closest, name, header.aliases);
	offer_names(closest, name, header.stands_in_for);
	text_file_close(&text);
	return match;
}

/* Returns whether a candidate is nearly as close as the best one. */
static bool is_close(const struct closest *closest, size_t i)
{
	return i < closest->n && closest->distances[i] <= closest->distances[0] + 1;
}

static void set_unknown(const struct closest *closest, bool has_models, const char *name, struct error *err)
{
	if (!has_models) {
		error_set(err, ERROR_USAGE,
			  "no cost model named '%.80s': no model is installed; ITRACE_MODEL_PATH may name their folder",
			  name);
		return;
	}
	if (closest->n == 0) {
		error_set(err, ERROR_USAGE, "no cost model named '%.80s'; 'itrace models' lists all", name);
		return;
	}
	error_set(err, ERROR_USAGE,
		  "no cost model named '%.80s'; closest: %.80s%s%.80s%s%.80s; 'itrace models' lists all", name,
		  closest->names[0], is_close(closest, 1) ? ", " : "", is_close(closest, 1) ? closest->names[1] : "",
		  is_close(closest, 2) ? ", " : "", is_close(closest, 2) ? closest->names[2] : "");
}

char *model_path_find(const char *name, struct error *err)
{
	struct model_path_files list;
	struct closest closest = {0};
	const struct model_path_file *file, *candidate = NULL;
	enum name_match best = NAME_DIFFERS;
	char *found = NULL;

	model_path_list_init(&list);
	file = find_file(&list, name);
	for (size_t i = 0; i < list.n_files && best != NAME_MATCHES && !file; i++) {
		enum name_match match = compare_name(&list.files[i], name, &closest);

		if (match > best) {
			best = match;
			candidate = &list.files[i];
		}
	}
	file = file ? file : candidate;
	if (file)
		found = xstrdup(file->path);
	if (!found)
		set_unknown(&closest, list.n_files, name, err);
	for (size_t i = 0; i < closest.n; i++)
		free(closest.names[i]);
	model_path_list_deinit(&list);
	return found;
}
