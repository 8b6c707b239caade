/* Which regions a thread is in: the stack of its visits, fed with what happens to the thread.
 *
 * A visit remembers the stack pointer at its begin. A begin from the same frame as, or a caller's frame of, an active visit of
 * the same region means that the earlier one was left by longjmp, an exception or a missing PA_END; one from a
 * deeper frame, or from a signal handler, is recursion, which is one visit.
 */
#ifndef ITRACE_REGIONS_VISITS_H
#define ITRACE_REGIONS_VISITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum visit_end {
	VISIT_ENDS_AT_MARKER,	 /* PA_END, --stop, second int3 */
	VISIT_ENDS_WITH_SCOPE,	 /* PA_SCOPE: at an end marker that is the same for all */
	VISIT_ENDS_AT_RETURN,	 /* --function: when the stack pointer rises above the return address */
	VISIT_ENDS_WITH_PROGRAM, /* --all */
};

struct visit_begin { /* where the thread was at a begin */
	uint64_t rsp;
	unsigned handler_depth; /* signal handlers that it was in */
};

struct visit {
	uint32_t region;
	enum visit_end end;
	uint64_t begin_rsp;
	unsigned handler_depth; /* signal handlers that the thread was in at the begin */
	uint64_t begin_ns;
	bool has_previous;	    /* the caller's: an instruction was counted since the begin */
	struct visit_begin *nested; /* deeper begins of the same region whose ends are still to come */
	size_t n_nested, nested_capacity;
};

struct visits {
	struct visit *visits; /* oldest first */
	size_t n_visits, visits_capacity;
};

enum visit_change {
	VISIT_BEGUN,	  /* a new visit */
	VISIT_DEEPER,	  /* recursion: still the same visit */
	VISIT_BEGUN_ANEW, /* the earlier visit was left without an end; this is the next one */
	VISIT_ENDED,	  /* and is off the stack */
	VISIT_SHALLOWER,  /* the end of a recursion: still the same visit */
	VISIT_UNMATCHED,  /* an end without a begin */
};

void visits_deinit(struct visits *visits);

/* A begin met at stack pointer rsp. For VISIT_BEGUN_ANEW the earlier visit's begin_ns is replaced by now_ns, its former value
 * stored in *former_ns. */
enum visit_change visits_begin(struct visits *visits, uint32_t region, enum visit_end end, uint64_t rsp,
			       unsigned handler_depth, uint64_t now_ns, uint64_t *former_ns);

/* An end marker met at stack pointer rsp, in so many signal handlers. For VISIT_ENDED, *begin_ns is when the visit began. */
enum visit_change visits_end(struct visits *visits, uint32_t region, uint64_t rsp, unsigned handler_depth,
			     uint64_t *begin_ns);

/* The region of the innermost scope that an end marker met at stack pointer rsp, in so many signal handlers, can be the
 * end of: that scope's frame is not gone. False: there is none. */
bool visits_innermost_scope(const struct visits *visits, uint64_t rsp, unsigned handler_depth, uint32_t *region);

/* Removes visit i. */
void visits_remove(struct visits *visits, size_t i);

#endif
