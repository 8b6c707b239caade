/* Runs the program, and records or compares the run. */
#ifndef ITRACE_TESTS_RUNS_H
#define ITRACE_TESTS_RUNS_H

#include "engine/engine.h"
#include "flow.h"

struct settings {
	const char *const *argv;
	const char *before; /* a shell command before each run, or NULL */
	enum engine_kind reference;
	bool is_quick;
};

/* The outcome of a run. */
struct outcome {
	struct profile profile;
	uint8_t random[RANDOM_BYTES];
	char *printed; /* [n_printed] on standard output and error */
	size_t n_printed;
};

/* A recorded run. */
struct reference {
	struct flow flow;
	struct outcome outcome;
	bool hides_vdso; /* from the program, which then asks the kernel for the time */
};

/* The settings of another run. */
struct other {
	enum engine_kind engine;
	uint32_t traces_seed;
	int same; /* enum told_kind: kernel results to replay from the reference; TOLD_TIME also hides the vDSO */
};

const char *engine_name(enum engine_kind engine);

/* Runs the program to its end with how->engine and how->traces_seed. Exits with status 2 if it cannot run. stream may
 * be NULL. */
void run_execute(const struct settings *settings, const struct other *how, const struct trace_stream *stream,
		 struct outcome *outcome);
void outcome_deinit(struct outcome *outcome);
bool outcome_is_like(const struct outcome *a, const struct outcome *b);

void run_record(const struct settings *settings, bool hides_vdso, struct reference *reference);
void reference_deinit(struct reference *reference);

/* comparison: zeroed except its source. */
void run_compare(const struct settings *settings, const struct other *other, struct reference *reference,
		 struct flow_comparison *comparison, struct outcome *outcome);

/* Returns true if such a run equals the reference. */
bool run_is_like(const struct settings *settings, const struct other *other, struct reference *reference);

#endif
