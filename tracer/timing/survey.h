/* Times many forms, each in a child process of its own. */
#ifndef ITRACE_TIMING_SURVEY_H
#define ITRACE_TIMING_SURVEY_H

#include "timing/instruction.h"

enum { SURVEY_N_COMMON_FORMS = 300 };

/* The commonest forms of compiled programs that can be timed, the commonest first. */
extern const char *const survey_common_forms[SURVEY_N_COMMON_FORMS];

/* Locked forms, which models describe by patterns; NULL-terminated. */
extern const char *const survey_locked_forms[];

/* A form that is steady after `least` rounds is not measured again. */
struct survey_rounds {
	size_t least, most;
};

struct survey {
	const char *const *forms; /* [n_forms]; borrowed */
	size_t n_forms;
	struct survey_rounds rounds;
	struct instruction_timing *measured; /* [rounds.most][n_forms] */
	struct instruction_timing *timings;  /* [n_forms]: the figures that rounds agree on */
	size_t n_done;			     /* forms that were tried, in all rounds */
};

/* Called before each form with the numbers of forms done and to do. A return of false ends the survey. */
typedef bool survey_progress(void *context, uint64_t done, uint64_t total);

bool survey_init(struct survey *survey, const char *const *forms, size_t n_forms, struct survey_rounds rounds,
		 struct error *err);
void survey_deinit(struct survey *survey);

/* Times all forms in rounds. Each figure is the smallest one that two rounds agree on: a program on the other thread of
 * the core may double times for a whole second. Fails only if no child can be started. */
bool survey_run(struct survey *survey, struct instruction_timer *timer, survey_progress *progress, void *context,
		struct error *err);

/* Returns true if the samples agree within 2 %, and each figure agrees with that of another round. */
bool survey_is_steady(const struct instruction_timing *timing);

#endif
