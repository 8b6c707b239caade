/* Runs of the program, recorded or compared with one that was. */
#ifndef ITRACE_TESTS_RUNS_H
#define ITRACE_TESTS_RUNS_H

#include "engine/engine.h"
#include "flow.h"

struct settings {
	const char *const *argv;
	const char *before; /* a command of the shell, run before each run; or NULL */
	enum engine_kind reference;
	bool is_quick;
};

/* What a run leaves. */
struct outcome {
	struct profile profile;
	uint8_t random[RANDOM_BYTES];
	char *printed; /* [n_printed] on standard output and error */
	size_t n_printed;
};

/* A run to compare with. */
struct reference {
	struct flow flow;
	struct outcome outcome;
	bool hides_vdso; /* from the program, which then asks the kernel for the time */
};

/* How another run is made. */
struct other {
	enum engine_kind engine;
	uint32_t traces_seed;
	int same; /* enum told_kind: what is made the same as in the reference; with TOLD_TIME, that hides the vDSO */
};

const char *engine_name(enum engine_kind engine);

/* Runs the program to its end, by how->engine with how->traces_seed; exits with 2 where it cannot be run. stream may be NULL. */
void run_execute(const struct settings *settings, const struct other *how, const struct trace_stream *stream,
		 struct outcome *outcome);
void outcome_deinit(struct outcome *outcome);
bool outcome_is_like(const struct outcome *a, const struct outcome *b);

void run_record(const struct settings *settings, bool hides_vdso, struct reference *reference);
void reference_deinit(struct reference *reference);

/* comparison: zeroed but for its source. */
void run_compare(const struct settings *settings, const struct other *other, struct reference *reference,
		 struct flow_comparison *comparison, struct outcome *outcome);

/* Whether such a run does the same as the reference. */
bool run_is_like(const struct settings *settings, const struct other *other, struct reference *reference);

#endif
