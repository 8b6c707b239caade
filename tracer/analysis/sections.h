/* What every format shows, before it is formatted: the selected regions in order, costed, and their rankings. */
#ifndef ITRACE_ANALYSIS_SECTIONS_H
#define ITRACE_ANALYSIS_SECTIONS_H

#include "costmodels/estimators/estimate.h"
#include "report/report.h"

/* One selected region that was visited. */
struct section {
	char *title;	    /* not escaped: "deflate", "(unnamed)", "deflate, thread 2 (worker): in signal handlers" */
	char *region_title; /* the same without the thread */
	const struct profile_region *region;
	uint32_t region_index;
	uint64_t executions, iterations;
	struct estimate *estimates; /* [n_models] */
};

struct sections {
	struct section
		*sections; /* in the profile's order, each followed by those of its signal handlers and of its parts */
	size_t n_sections, sections_capacity;
	uint32_t *unreached; /* indices of the selected regions without a visit */
	size_t n_unreached, unreached_capacity;
	size_t n_models;
};

/* The result borrows profile and models. */
void sections_init(struct sections *sections, const struct profile *profile, const struct model *const *models,
		   size_t n_models, const struct report_options *options);
void sections_deinit(struct sections *sections);

/* A region's system calls by descending count, then by name, whatever order they were met in: [n_syscalls], to be freed. */
const struct profile_syscall **section_sort_syscalls(const struct profile_region *region);

/* How far a figure can be trusted; a higher value is worse. */
enum figure_kind {
	FIGURE_EXACT,
	FIGURE_FALLBACK, /* some of it is a related form's */
	FIGURE_PARTIAL,	 /* some forms in it have no figure: the cost is at least this */
	FIGURE_UNKNOWN,	 /* none of its forms has a figure */
};

struct figure {
	enum figure_kind kind;
	mcyc_t mcyc; /* in the column that the model ranks by */
};

struct figure figure_of_group(const struct estimate *estimate, const struct profile_group *group);
/* Of so many executions, of which the model has no figure, or a fallback, for some. */
struct figure figure_of_counts(mcyc_t mcyc, uint64_t executions, uint64_t unknown, uint64_t fallback);
struct figure figure_of_region(const struct estimate *estimate);
struct figure figure_add(struct figure a, struct figure b);

struct ranking_row {
	const struct profile_group *group;
	struct figure figure; /* on the first model */
};

/* The groups of one region by descending cost on the first model; those without any figure last, by executions. */
struct ranking {
	struct profile_groups groups;
	struct ranking_row *rows; /* [groups.n_groups] */
};

void ranking_init(struct ranking *ranking, const struct profile *profile, const struct section *section,
		  enum profile_group_by by);
void ranking_deinit(struct ranking *ranking);

#endif
