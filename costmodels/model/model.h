/* A cost model: one CPU's table of figures per instruction form, read from a .cost text file (data/FORMAT.md).
 *
 * A model has one of two kinds of tables. The key of a form table is a form ("ADD r64, m64"). The key of an opcode
 * table is an instruction of another machine ("ADDL2"). A map (vax.map) translates a form to a sequence of such
 * instructions, and the form costs the sum over the sequence.
 */
#ifndef ITRACE_COSTMODELS_MODEL_MODEL_H
#define ITRACE_COSTMODELS_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "costmodels/model/cost.h"

struct text_problems;
struct model; /* immutable after loading; owns the strings that functions return */

/* Loads a model by name or alias from the search path (data/FORMAT.md, "Where models are found"), or by path if
 * `name_or_path` contains '/' or ends in ".cost". "host" is the model of this machine's CPU. An unknown name gives
 * ERROR_USAGE with the closest names, a malformed file ERROR_FORMAT with file:line. Returns NULL on failure. */
struct model *model_load(const char *name_or_path, struct error *err);

/* Loads a model like model_load, but only one model from a file: if one of models[n_models] comes from the same file,
 * sets *model to NULL and adds the notes to that model. Returns false on failure. */
bool model_load_once(const char *name_or_path, struct model *const *models, size_t n_models, struct model **model,
		     struct error *err);

void model_destroy(struct model *model);

/* Checks whether a form exists. explain() returns NULL if the form exists, else an explanation, which model_check()
 * frees. */
struct model_form_check {
	char *(*explain)(void *context, const char *form);
	void *context;
};

/* Adds messages for all problems of a file (text_file.h). Stops at a problem that makes the rest unreadable. forms
 * NULL: any form is accepted. */
void model_check(const char *path, const struct model_form_check *forms, struct text_problems *problems);

const char *model_name(const struct model *model);   /* "skylake" */
const char *model_title(const struct model *model);  /* "Intel Skylake (client)" */
const char *model_vendor(const struct model *model); /* "Intel"; "" when not stated */
int model_year(const struct model *model);	     /* year of the CPU's introduction; 0: not stated */
const char *model_source(const struct model *model); /* source of the figures */
const char *model_note(const struct model *model);   /* caveat for readers of the figures, or NULL */
size_t model_n_rows(const struct model *model);	     /* number of forms or opcodes with a figure */
enum cost_column model_ranking_column(const struct model *model);
enum model_estimator model_estimator(const struct model *model);
bool model_is_mapped(const struct model *model); /* uses an opcode table and a map; cost.via names opcodes */

/* Returns a value of the file's [parameters], or NULL. */
const char *model_parameter(const struct model *model, const char *key);

/* Returns the length of a cycle in picoseconds, rounded, for display only. 0: not stated. */
uint64_t model_cycle_ps(const struct model *model);

/* Converts cycles to time, exact to half a nanosecond. Returns 0 if the model states no clock. `mcyc` must not be
 * negative. */
uint64_t model_time_ns(const struct model *model, mcyc_t mcyc);

/* Looks up the cost of a form by its text. Never fails: an absent form is COST_UNKNOWN with all figures 0. */
void model_lookup(const struct model *model, const char *form_text, struct cost *out);

/* Returns the form or pattern of a row, counted from 0 and including inherited rows. Returns NULL after the last row,
 * and for a model with opcodes. */
const char *model_row_form(const struct model *model, size_t row);

/* Returns whether the table has a row for exactly this form. */
bool model_has_row(const struct model *model, const char *form_text);

/* Lists installed models, one struct per file, sorted by name. For a file that does not load, `problem` has the
 * error. The caller frees the list with model_list_deinit. */
struct model_info {
	char *name, *title, *vendor, *source, *note, *path;
	char *problem; /* NULL: the file loads. Else title, vendor, source and note are "" */
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
