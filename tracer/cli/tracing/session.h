/* One run of a program under the engine. */
#ifndef ITRACE_CLI_TRACING_SESSION_H
#define ITRACE_CLI_TRACING_SESSION_H

#include "cli/options/options.h"
#include "profile/profile.h"
#include "source/source.h"

/* Takes the profile of one process that reached a region. Returns false if that failed, after printing the message. */
typedef bool session_take_profile(void *context, struct profile *profile, struct source *source);

struct session_plan {
	const struct options *options;
	bool wants_calls; /* call trees */
	bool wants_edges; /* transfers of control */
	/* Print no message about the signal that killed the program: the report on standard error names the signal, or
	 * must be alone there. */
	bool report_shows_signal;
	/* Called for each process, and last for the program itself. With --follow it is called when a process ends, so
	 * that only running ones are kept in memory. The profile is destroyed afterwards. */
	session_take_profile *take_profile;
	void *context; /* of take_profile */
};

/* How the run ended. */
struct session {
	struct profile profile;
	bool is_attached, report_shows_signal;
	size_t n_reached;     /* processes that reached a region */
	bool has_failed;      /* a profile was not taken, or the trace not written */
	bool was_interrupted; /* a signal asked itrace to end; set by session_end */
};

/* Runs the program of the options, or attaches to it. Returns true if the caller must call session_end. Returns false
 * if the program could not be run, after printing the message, or if a child traced it and this process waited for
 * the child (cli/tracing/supervisor.h). *status is then the exit status. */
bool session_run(struct session *session, const struct session_plan *plan, int *status);

/* Waits for the program's end, which may come after the end of tracing. has_reported: all profiles were reported or
 * saved. Returns the exit status. Does not return if a signal kills the program: itrace dies of the same signal. */
int session_end(struct session *session, bool has_reported);

#endif
