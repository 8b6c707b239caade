#include "costmodels/model/model.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "costmodels/model/host.h"
#include "costmodels/model/model_file.h"
#include "costmodels/model/model_path.h"

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
		return load_host(err); /* unless the user has a model of this name */
	if (!path) {
		*err = unknown;
		return NULL;
	}
	model = model_read(path, err);
	free(path);
	if (model && model_names_have(model->header.stands_in, name_or_path))
		add_note(model, xasprintf("stands in for %s, which has no figures of its own", name_or_path));
	return model;
}

static bool is_same_file(const char *path, const char *other)
{
	struct stat status, others;

	return stat(path, &status) == 0 && stat(other, &others) == 0 && status.st_dev == others.st_dev &&
	       status.st_ino == others.st_ino;
}

/* What one has beside the file's own note, which the other has as well. */
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
		if (!is_same_file(models[i]->path, (*model)->path))
			continue;
		take_note(models[i], *model);
		model_destroy(*model);
		*model = NULL;
		break;
	}
	return true;
}

void model_destroy(struct model *model)
{
	if (!model)
		return;
	form_table_deinit(&model->forms);
	opcode_map_deinit(&model->opcodes);
	free(model->parameters);
	free(model->source);
	free(model->note);
	free(model->map_path);
	model_destroy(model->parent);
	text_file_close(&model->file);
	free(model->path);
	free(model);
}

const char *model_name(const struct model *model)
{
	return model->header.name;
}

const char *model_title(const struct model *model)
{
	return model->header.title;
}

const char *model_vendor(const struct model *model)
{
	return model->header.vendor;
}

int model_year(const struct model *model)
{
	return model->header.year;
}

const char *model_source(const struct model *model)
{
	return model->source;
}

const char *model_note(const struct model *model)
{
	return model->note;
}

size_t model_n_rows(const struct model *model)
{
	return model->has_forms ? model->forms.n_rows : opcode_map_n_figures(&model->opcodes);
}

enum cost_column model_rank(const struct model *model)
{
	return model->header.rank;
}

enum model_estimator model_estimator(const struct model *model)
{
	return model->header.estimator;
}

bool model_is_mapped(const struct model *model)
{
	return model->has_opcodes;
}

const char *model_parameter(const struct model *model, const char *key)
{
	for (size_t i = 0; i < model->n_parameters; i++)
		if (strcmp(model->parameters[i].key, key) == 0)
			return model->parameters[i].value;
	return NULL;
}

uint64_t model_cycle_ps(const struct model *model)
{
	const struct model_header *header = &model->header;

	if (!header->clock_khz)
		return (uint64_t)header->cycle_ps;
	return (1000000000 + (uint64_t)header->clock_khz / 2) / (uint64_t)header->clock_khz;
}

uint64_t model_time_ns(const struct model *model, mcyc_t mcyc)
{
	const struct model_header *header = &model->header;
	/* ns = mcyc / 1000 * 1000000 / kHz, or mcyc / 1000 * ps / 1000 */
	int64_t factor = header->clock_khz ? 1000 : header->cycle_ps;
	int64_t divisor = header->clock_khz ? header->clock_khz : 1000000;
	__int128 time_ns = ((__int128)mcyc * factor + divisor / 2) / divisor;

	assert(mcyc >= 0 && time_ns <= UINT64_MAX);
	return (uint64_t)time_ns;
}

void model_lookup(const struct model *model, const char *form_text, struct cost *out)
{
	*out = (struct cost){0};
	if (model->has_forms)
		form_table_lookup(&model->forms, form_text, model->header.rank, out);
	else
		opcode_map_lookup(&model->opcodes, form_text, out);
}

bool cost_has_flag(const char *flags, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = flags; at && *at; at += strcspn(at, " "), at += strspn(at, " "))
		if (strncmp(at, word, n) == 0 && (at[n] == ' ' || !at[n]))
			return true;
	return false;
}

mcyc_t cost_total_mcyc(const struct cost *cost, enum cost_column column, uint64_t executions, uint64_t iterations)
{
	mcyc_t each = column == COST_LATENCY ? cost->latency_mcyc : cost->throughput_mcyc;
	__int128 total;
	bool overflow;

	/* Both products are below 2^127: figures are below 2^63 and counts below 2^64. */
	overflow = __builtin_add_overflow((__int128)executions * each, (__int128)iterations * cost->per_iteration_mcyc,
					  &total);
	assert(!overflow && total <= INT64_MAX);
	return (mcyc_t)total;
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
