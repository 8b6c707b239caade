/* The visits of a thread: a stack of the regions that the thread is in.
 *
 * A visit keeps the stack pointer of its begin. If the same region begins again from the same frame or from an outer
 * one, the earlier visit was left by longjmp, an exception or a missing PA_END. If the region begins
 * again from a deeper frame or from a signal handler, this is recursion, and the visit continues.
 */
#ifndef ITRACE_REGIONS_VISITS_H
#define ITRACE_REGIONS_VISITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum visit_end {
	VISIT_ENDS_AT_MARKER,	 /* PA_END, --stop, or a bare int3 that ends its region */
	VISIT_ENDS_WITH_SCOPE,	 /* PA_SCOPE: at an end marker that all scopes share */
	VISIT_ENDS_AT_RETURN,	 /* --function: when the stack pointer rises above the return address */
	VISIT_ENDS_WITH_PROGRAM, /* --all */
};

struct visit_begin { /* the state of a thread when it reached a begin */
	uint64_t rsp;
	unsigned handler_depth; /* number of nested signal handlers */
};

struct visit {
	uint32_t region;
	enum visit_end end;
	struct visit_begin begin;
	uint64_t begin_ns;
	bool has_executed;	    /* set by engine/ when the visit has executed an instruction */
	struct visit_begin *nested; /* deeper begins of the same region that have not ended yet */
	size_t n_nested, nested_capacity;
};

struct visits {
	struct visit *visits; /* oldest first */
	size_t n_visits, visits_capacity;
};

enum visit_change {
	VISIT_BEGUN,	  /* a new visit */
	VISIT_DEEPER,	  /* recursion: the visit continues */
	VISIT_BEGUN_ANEW, /* the earlier visit was left without an end; this is a new one */
	VISIT_ENDED,	  /* the visit ended and is off the stack */
	VISIT_SHALLOWER,  /* a recursion ended: the visit continues */
	VISIT_UNMATCHED,  /* an end without a begin */
};

void visits_deinit(struct visits *visits);

/* Called when the thread reaches a begin at time now_ns. For VISIT_BEGUN_ANEW, sets *former_ns to the time at which
 * the earlier visit began. */
enum visit_change visits_begin(struct visits *visits, uint32_t region, enum visit_end end, struct visit_begin begin,
			       uint64_t now_ns, uint64_t *former_ns);

/* Called at an end marker with stack pointer rsp, inside handler_depth nested signal handlers. For VISIT_ENDED, sets
 * *begin_ns to the time of the visit's begin. */
enum visit_change visits_end(struct visits *visits, uint32_t region, uint64_t rsp, unsigned handler_depth,
			     uint64_t *begin_ns);

/* Finds the region of the innermost scope with an existing frame, for an end marker at stack pointer rsp, inside
 * handler_depth nested signal handlers. Returns false if there is none. */
bool visits_innermost_scope(const struct visits *visits, uint64_t rsp, unsigned handler_depth, uint32_t *region);

/* Removes the visit at index i, as when a function has returned. */
void visits_remove(struct visits *visits, size_t i);

#endif
