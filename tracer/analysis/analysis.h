/* The analysis of a run, computed before a report is written: the selected regions, their estimates, and the
 * requested analyses. Analyses are pure functions of a profile and some models. */
#ifndef ITRACE_ANALYSIS_ANALYSIS_H
#define ITRACE_ANALYSIS_ANALYSIS_H

#include "analysis/annotation.h"
#include "analysis/call_rows.h"
#include "analysis/call_tree.h"
#include "analysis/charges.h"
#include "analysis/comparison.h"
#include "analysis/coverage.h"
#include "analysis/inclusive.h"
#include "analysis/ranking.h"

/* The analyses that are made on request. Estimates, coverage and a ranking by form are always made. */
enum {
	ANALYSIS_RANKING = 1 << 0, /* region_analysis.groups; if grouped by function, also region_analysis.inclusive */
	ANALYSIS_COMPARISON = 1 << 1,
	ANALYSIS_CALL_TREE = 1 << 2,
	ANALYSIS_CALL_LINES = 1 << 3,
	ANALYSIS_CHARGES = 1 << 4,
	ANALYSIS_ANNOTATION = 1 << 5,
};

#define ANALYSIS_MAX_BY 2

/* Pointers are borrowed. */
struct analysis_request {
	unsigned analyses; /* ANALYSIS_* */
	enum profile_group_by
		by[ANALYSIS_MAX_BY];	 /* [n_by] one comparison for each; by[0] is also used for the ranking */
	size_t n_by;			 /* at least 1 */
	const char *const *only_regions; /* [n_only_regions] names; 0: all regions */
	size_t n_only_regions;
	bool per_thread; /* adds the regions of single threads */
	struct annotation_options annotation;
	struct charge_options charges;
};

/* A selected region that was visited. Members of analyses that were not requested are zero. */
struct region_analysis {
	char *title; /* not escaped: "deflate", "(unnamed)", "deflate, thread 2 (worker): in signal handlers" */
	char *name;  /* the title without the thread */
	struct costed_region costed;
	uint64_t executions, iterations;
	struct estimate *estimates;		 /* [n_models] */
	struct coverage *coverage;		 /* [n_models] */
	const struct profile_syscall **syscalls; /* [costed.region->n_syscalls] by descending count, then by name */
	struct ranking forms;			 /* by form */
	struct ranking groups;			 /* by request.by[0]; empty if request.by[0] is the form */
	struct inclusive inclusive;
	struct comparison comparisons[ANALYSIS_MAX_BY];
	struct call_tree call_tree;
	struct call_rows call_rows;
	struct charges charges;
	struct annotation annotation;
};

struct run_analysis {
	const struct profile *profile;
	const struct model *const *models; /* [n_models] reports rank by the first model */
	size_t n_models;
	struct analysis_request request;
	/* In the order of the profile. The signal handlers of a region follow the region, then its regions of single
	 * threads. */
	struct region_analysis *regions;
	size_t n_regions, regions_capacity;
	uint32_t *unreached; /* indices in the profile of the selected regions without a visit */
	size_t n_unreached, unreached_capacity;
};

/* n_models >= 1. The result borrows the profile, the models and all memory to which *request points. */
void analysis_init(struct run_analysis *analysis, const struct profile *profile, const struct model *const *models,
		   size_t n_models, const struct analysis_request *request);
void analysis_deinit(struct run_analysis *analysis);

/* Returns the region's ranking by request.by[0]. */
const struct ranking *analysis_ranking(const struct run_analysis *analysis, const struct region_analysis *region);

/* Returns true if the region has executions, or iterations of an interrupted REP string instruction. */
bool analysis_has_cost(const struct region_analysis *region);

/* Returns "thread 2 (worker)" or "936 other threads (worker)", not escaped. The caller frees it. */
char *analysis_thread_name(const struct profile *profile, uint32_t thread);

#endif
