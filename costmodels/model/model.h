/* A cost model: one CPU's table of figures per instruction form, read from a .cost text file (data/FORMAT.md).
 *
 * Two kinds of table exist. A form table is keyed by itrace forms ("ADD r64, m64"). An opcode table is keyed by the
 * instructions of another machine ("ADDL2"), and a map (vax.map) says which of these a form stands for; a form's cost is
 * then the sum over its sequence. Both answer the same question through model_lookup().
 */
#ifndef ITRACE_COSTMODELS_MODEL_MODEL_H
#define ITRACE_COSTMODELS_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "costmodels/model/cost.h"

struct text_problems;
struct model; /* immutable once loaded; strings live as long as it does */

/* Loads a model by name or alias from the search path (data/FORMAT.md, "Where models are found"), or by path if
 * `name_or_path` contains '/' or ends in ".cost"; "host" is the model of the CPU that this runs on. An unknown name
 * gives ERROR_USAGE naming the closest ones; a malformed file ERROR_FORMAT with file:line. NULL on failure. */
struct model *model_load(const char *name_or_path, struct error *err);

/* The same, but no second model from the file of one of models[n_models]: then *model is NULL, and that one has the notes of both, as of
 * what it stands in for. False on failure. */
bool model_load_once(const char *name_or_path, struct model *const *models, size_t n_models, struct model **model,
		     struct error *err);

void model_destroy(struct model *model);

/* Adds the messages of all that is wrong with a file (text_file.h), up to one that makes the rest unreadable. */
void model_check(const char *path, struct text_problems *problems);

const char *model_name(const struct model *model);   /* "skylake" */
const char *model_title(const struct model *model);  /* "Intel Skylake (client)" */
const char *model_vendor(const struct model *model); /* "Intel"; "" when not stated */
int model_year(const struct model *model);	     /* of the CPU's introduction; 0: not stated */
const char *model_source(const struct model *model); /* where its figures come from */
const char *model_note(const struct model *model);   /* what a reader of its figures must know, or NULL */
size_t model_n_rows(const struct model *model);	     /* forms, or opcodes, that have a figure */
enum cost_column model_rank(const struct model *model);
enum model_estimator model_estimator(const struct model *model);
bool model_is_mapped(const struct model *model); /* an opcode table through a map: cost.via names its opcodes */

/* A value of the file's [parameters], or NULL. */
const char *model_parameter(const struct model *model, const char *key);

/* The length of the cycle that the file states, in picoseconds; not exact for every clock, so for showing only. 0: not
 * stated. */
uint64_t model_cycle_ps(const struct model *model);

/* Exact to half a nanosecond; 0 when the model states no clock. `mcyc` must not be negative. */
uint64_t model_time_ns(const struct model *model, mcyc_t mcyc);

/* The cost of one form, by its text. Never fails: an absent form is COST_UNKNOWN with all figures 0. */
void model_lookup(const struct model *model, const char *form_text, struct cost *out);

/* Lists installed models, one struct per file, sorted by name. A file that does not load is listed with its error in
 * `problem`. The caller frees with model_list_deinit. */
struct model_info {
	char *name, *title, *vendor, *source, *note, *path;
	char *problem; /* NULL: it loads. Else title, vendor, source and note are "" */
	int year;
	size_t n_rows;
	enum model_estimator estimator;
};
struct model_list {
	struct model_info *models;
	size_t n_models, models_capacity;
};
void model_list_init(struct model_list *list);
void model_list_deinit(struct model_list *list);

#endif
