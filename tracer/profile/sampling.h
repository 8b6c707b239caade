/* The data model of a sampled run: the samples, a table of them, and a verdict on their quality.
 *
 * Nothing here refers to a live process. Each struct owns its strings and arrays, which follow base/array.h. The
 * sampler fills these structs, and report/ shows them.
 */
#ifndef ITRACE_PROFILE_SAMPLING_H
#define ITRACE_PROFILE_SAMPLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAMPLING_NONE UINT32_MAX /* no such module or row */

struct sampling_module {
	char *path; /* as the kernel names it; "[vdso]", "" for anonymous memory */
};

/* The position of a thread at the end of a period of its CPU time. */
struct sample {
	uint64_t time_ns;      /* since the launch */
	uint64_t va;	       /* run-time address; 0 if unknown or in the kernel */
	uint64_t offset_bytes; /* of a user address: offset in the module's file */
	int32_t tid;
	uint32_t module; /* index; SAMPLING_NONE: the kernel, or no known mapping */
	bool in_kernel;
};

/* The samples of one period, sorted by time. */
struct sampling_series {
	uint64_t period_ns;
	double ratio; /* relative to the first series' period: 1, pi/2 ... */
	struct sample *samples;
	size_t n_samples, samples_capacity;
};

/* One run, sampled by several series at the same time, each with its own period. */
struct sampling {
	char **argv; /* NULL-terminated */
	bool exited; /* false: killed by `signal` */
	int exit_status;
	int signal;		/* 0: none */
	const char *method;	/* "perf" or "stops" */
	bool sees_kernel;	/* kernel time is sampled, too; false: it is missing */
	uint64_t wall_ns;	/* from launch to the end of the program or of sampling */
	uint64_t cpu_ns;	/* CPU time of the process within wall_ns; 0: unknown */
	uint64_t cost_ns;	/* time that samples took from the threads; with perf part of cpu_ns; 0: unknown */
	uint64_t n_lost;	/* samples that did not fit into the kernel's buffer */
	uint64_t n_throttled;	/* times that the kernel throttled sampling */
	uint64_t n_in_children; /* samples of child processes, which are left out */
	int32_t pid;
	struct sampling_module *modules;
	size_t n_modules, modules_capacity;
	uint32_t program; /* the launched program's module, or SAMPLING_NONE */
	struct sampling_series *series;
	size_t n_series, series_capacity;
	char **notes; /* sentences for readers of the report */
	size_t n_notes, notes_capacity;
};

void sampling_init(struct sampling *sampling);
void sampling_deinit(struct sampling *sampling);

uint32_t sampling_intern_module(struct sampling *sampling, const char *path);
void sampling_note(struct sampling *sampling, const char *format, ...) __attribute__((format(printf, 2, 3)));

enum sampling_by { SAMPLING_BY_OBJECT, SAMPLING_BY_FUNCTION, SAMPLING_BY_LINE };

enum sample_row_kind {
	SAMPLE_ROW_NAMED,
	SAMPLE_ROW_UNNAMED, /* code of a module outside any symbol, or without lines; has the module's file name */
	SAMPLE_ROW_UNKNOWN, /* code in no file: "[anonymous]" */
	SAMPLE_ROW_KERNEL,  /* "[kernel]" */
};

/* The confidence intervals of rows with at least this share of the samples hold. */
#define SAMPLE_READ_SHARE 0.01

struct sample_row {
	enum sample_row_kind kind;
	char *name;	   /* of the function or the object; of a line "/src/a.c:12" */
	char *module;	   /* file name without folder; "": no file */
	uint64_t *samples; /* [n_series] */
	/* Confidence interval of the share in the first series. With a probability of 95 %, all intervals of rows with
	 * at least SAMPLE_READ_SHARE contain the true shares. */
	double low, high;
};

/* Rows of all series, by descending samples in the first series. */
struct sample_table {
	enum sampling_by by;
	size_t n_series;
	uint64_t *totals; /* [n_series] samples */
	struct sample_row *rows;
	size_t n_rows, rows_capacity;
	uint32_t **row_of; /* [n_series][n_samples of the series]: the row of each sample */
};

void sample_table_deinit(struct sample_table *table);

struct sample_thread {
	int32_t tid;
	uint64_t samples;
	uint64_t *row_samples; /* [n_rows of the table] */
};

/* The first series by thread, by descending samples. */
struct sample_threads {
	struct sample_thread *threads;
	size_t n_threads, threads_capacity;
};

void sample_threads_deinit(struct sample_threads *threads);

enum trust { TRUST_GOOD, TRUST_DOUBTFUL, TRUST_BAD };

/* The program's period, found by autocorrelation of one series. Lags are counted in samples. */
struct sample_rhythm {
	size_t n_lags;		  /* examined lags; 0: too few samples */
	double lag_1_correlation; /* autocorrelation at lag 1; 1: neighbours are always in one row, 0: as by chance */
	bool is_correlated;	  /* chance does not explain lag_1_correlation */
	size_t period_lags;	  /* lag after which the program returns to the same row; 0: none found */
	double strength;	  /* autocorrelation at period_lags */
};

/* A series, compared with the first one. */
struct sample_trial {
	struct sample_rhythm rhythm;
	double p;	/* probability that this series and the first one have the same distribution; 1 for the first */
	size_t n_moved; /* rows with another share than in the first series */
};

/* A row whose share depends on the period. */
struct sample_move {
	uint32_t row;
	double p; /* that the share is equal in all series; times the number of rows (Bonferroni), at most 1 */
	double share, rest_share; /* in the first series, and in all other series together */
};

/* A check of a run against the conditions for good statistics (F. Motteler, "Statistical Performance Analysis", Dr.
 * Dobb's Journal, December 1991, table 1). t: period, T: sampled time, N: rows, n: samples, c: cost of a sample. */
struct sample_verdict {
	enum trust many_samples;     /* t << T */
	enum trust many_each;	     /* N << n */
	enum trust off_period;	     /* t != a basic period of the program */
	enum trust many_periods;     /* T >> the basic period */
	enum trust low_cost;	     /* c << t: samples take little of the time */
	double cost_share;	     /* share of the threads' time that samples took; 0: unknown */
	double periods_sampled;	     /* T divided by the program's period; 0: no period found, or unknown */
	struct sample_trial *trials; /* [n_trials] by series */
	size_t n_trials;
	size_t n_agreeing;	   /* trials after the first one in which no row differs from the first series */
	double p;		   /* probability that all series have the same distribution; 1 with one series */
	double rest_p;		   /* like p, for all series except the first; 1 if fewer than two remain */
	struct sample_move *moves; /* by ascending p */
	size_t n_moves, moves_capacity;
};

void sample_verdict_deinit(struct sample_verdict *verdict);

/* A function's share of the samples, compared with its share of the cycles of an exact trace. */
struct sample_check_row {
	char *name, *module;
	uint64_t samples;
	double share, low, high; /* of the samples in traced functions, with the interval as in sample_row */
	int64_t exact_mcyc;
	double exact_share;
	double p; /* of such a difference by chance; times the number of functions (Bonferroni), at most 1 */
	bool is_different;
};

struct sample_check {
	char *model;
	uint64_t n_samples;	   /* in traced functions */
	uint64_t n_samples_beside; /* in other functions and in the kernel */
	int64_t exact_mcyc;
	struct sample_check_row *rows; /* by descending exact share */
	size_t n_rows, rows_capacity;
	size_t n_different;
};

void sample_check_deinit(struct sample_check *check);

#endif
