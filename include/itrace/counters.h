/* Counts hardware events in a stretch of code:
 *
 *	struct pa_count c = PA_COUNT_INIT;
 *
 *	PA_COUNT_BEGIN(c, "cycles", "instructions", "branch-misses");	returns 0 if all are counted
 *	work();
 *	PA_COUNT_END(c);
 *	PA_COUNT_PRINT(c, stderr);	or c.values[0], in the order of the events
 *	PA_COUNT_CLOSE(c);
 *
 * Counts events of the calling thread in user mode, and software events also in the kernel if permitted. The first use
 * of c measures the count of an empty pair, which is subtracted. RDPMC reads hardware events if the kernel allows it,
 * else a system call for each event at BEGIN and at END.
 *
 * Names are those of perf: counters_open.h lists them. With -DPA_WITH_PFM and -lpfm all names of libpfm4 work too
 * ("RETIRED_UOPS", "perf::PAGE-FAULTS:u"; libpfm4's showevtinfo lists them). A ninth name does not compile. Hardware
 * events are not multiplexed: if the CPU has too few counters, ask for fewer events.
 *
 * PA_COUNT_BEGIN returns PA_COUNT_OK (0) if it counts all events, else the status of the first event that it cannot
 * count. The value of such an event is PA_COUNT_NONE (-1), and c.status[] has the reason. All other events are counted.
 * Most virtual machines have no counters. perf_event_paranoid above 2 and many containers forbid counters.
 *
 * The thread that used c first may use c any number of times. Each use counts the events of the first PA_COUNT_BEGIN. c
 * owns a file descriptor for each event until PA_COUNT_CLOSE. After that, c may count other events. After fork, a child
 * needs its own struct. Each macro evaluates its arguments once. Linux only. With -DPA_DISABLE nothing is counted.
 * Programs of many files: see ITRACE_EXTERN in ticks.h.
 */
#ifndef ITRACE_COUNTERS_H
#define ITRACE_COUNTERS_H

#include <stdint.h>

#define ITRACE_COUNTERS_VERSION 1 /* of this interface; rises when it changes */

#define PA_COUNT_MAX_EVENTS 8
#define PA_COUNT_NONE (-1)

enum pa_count_status {
	PA_COUNT_OK,
	PA_COUNT_NO_EVENT,   /* no event has this name */
	PA_COUNT_NO_COUNTER, /* this machine cannot count the event */
	PA_COUNT_TOO_MANY,   /* no counter is left after the events before this one */
	PA_COUNT_FORBIDDEN,  /* by perf_event_paranoid, a seccomp filter or a security module */
	PA_COUNT_FAILED,     /* perf_event_open failed for another reason: errnos[] */
	PA_COUNT_DISABLED,   /* PA_DISABLE */
};

struct pa_count {
	int n_events;			     /* 0 before the first BEGIN and after CLOSE */
	int64_t values[PA_COUNT_MAX_EVENTS]; /* [n_events], of the last pair, without the overhead; or PA_COUNT_NONE */
	const char *names[PA_COUNT_MAX_EVENTS];		  /* [n_events], borrowed from the caller */
	enum pa_count_status status[PA_COUNT_MAX_EVENTS]; /* [n_events] */
	int errnos[PA_COUNT_MAX_EVENTS];		  /* [n_events], of perf_event_open; 0: none */

	/* Not for users. */
	int fds[PA_COUNT_MAX_EVENTS];	  /* -1: not counted */
	void *pages[PA_COUNT_MAX_EVENTS]; /* struct perf_event_mmap_page, or NULL */
	uint64_t begins[PA_COUNT_MAX_EVENTS];
	int64_t overheads[PA_COUNT_MAX_EVENTS];
};

#ifdef __cplusplus
#define PA_COUNT_INIT \
	{             \
	}
#else
#define PA_COUNT_INIT \
	{             \
		0     \
	}
#endif

/* The length of an array of names. More than PA_COUNT_MAX_EVENTS do not compile. */
#define ITRACE_COUNT_N_(names)                    \
	((int)(sizeof(names) / sizeof(*(names)) + \
	       0 * sizeof(char[sizeof(names) / sizeof(*(names)) <= PA_COUNT_MAX_EVENTS ? 1 : -1])))

#ifdef PA_DISABLE

static __inline__ __attribute__((always_inline, unused)) enum pa_count_status
itrace_count_nothing_(struct pa_count *count, int n_events)
{
	int i;

	for (i = 0; i < n_events; i++) {
		count->values[i] = PA_COUNT_NONE;
		count->status[i] = PA_COUNT_DISABLED;
	}
	count->n_events = n_events;
	return PA_COUNT_DISABLED;
}

#define PA_COUNT_BEGIN(c, ...)                                               \
	__extension__({                                                      \
		const char *const itrace_names_[] = {__VA_ARGS__};           \
                                                                             \
		itrace_count_nothing_(&(c), ITRACE_COUNT_N_(itrace_names_)); \
	})
#define PA_COUNT_END(c) ((void)(c).n_events)
#define PA_COUNT_PRINT(c, out) ((void)(c).n_events, (void)(out))
#define PA_COUNT_CLOSE(c) ((void)((c).n_events = 0))

#else

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <linux/perf_event.h>
#include <unistd.h>

#include <itrace/ticks.h>

#define PA_COUNT_BEGIN(c, ...)                                                                            \
	__extension__({                                                                                   \
		struct pa_count *itrace_count_ = &(c);                                                    \
                                                                                                          \
		if (__builtin_expect(!itrace_count_->n_events, 0)) {                                      \
			const char *const itrace_names_[] = {__VA_ARGS__};                                \
                                                                                                          \
			itrace_count_open_(itrace_count_, itrace_names_, ITRACE_COUNT_N_(itrace_names_)); \
		}                                                                                         \
		itrace_count_begin_(itrace_count_);                                                       \
	})
#define PA_COUNT_END(c) itrace_count_end_(&(c))
#define PA_COUNT_PRINT(c, out) itrace_count_print_(&(c), (out))
#define PA_COUNT_CLOSE(c) itrace_count_close_(&(c))

/* A test may define a simulated counter before it includes this header. */
#ifndef ITRACE_RDPMC_
#define ITRACE_RDPMC_(counter) itrace_rdpmc_(counter)
#endif

#ifdef __cplusplus
extern "C" {
#endif

ITRACE_SHARED_ void itrace_count_open_(struct pa_count *count, const char *const *names, int n_names);
ITRACE_SHARED_ void itrace_count_close_(struct pa_count *count);
ITRACE_SHARED_ void itrace_count_print_(const struct pa_count *count, FILE *out);

ITRACE_INLINE_ uint64_t itrace_rdpmc_(uint32_t counter)
{
#if defined(__x86_64__) || defined(__i386__)
	uint32_t low, high;

	__asm__ __volatile__("rdpmc" : "=a"(low), "=d"(high) : "c"(counter));
	return (uint64_t)high << 32 | low;
#else
	(void)counter;
	return 0;
#endif
}

#define ITRACE_BARRIER_() __asm__ __volatile__("" ::: "memory")

/* Reads a counter by RDPMC, with the protocol of struct perf_event_mmap_page in linux/perf_event.h. Returns 0 if only a
 * system call can read the counter. */
ITRACE_INLINE_ int itrace_count_read_page_(const volatile struct perf_event_mmap_page *page, uint64_t *value)
{
	uint32_t sequence, index;
	int64_t counted;

	do {
		sequence = page->lock;
		ITRACE_BARRIER_();
		index = page->index;
		if (!page->cap_user_rdpmc || !index)
			return 0;
		counted = page->offset;
		/* The counter has pmc_width bits, the highest of which is the sign. */
		counted += (int64_t)(ITRACE_RDPMC_(index - 1) << (64 - page->pmc_width)) >> (64 - page->pmc_width);
		ITRACE_BARRIER_();
	} while (page->lock != sequence);
	*value = (uint64_t)counted;
	return 1;
}

/* Returns 0 if the event could not be scheduled. */
ITRACE_INLINE_ int itrace_count_read_(const struct pa_count *count, int i, uint64_t *value)
{
	if (count->pages[i] &&
	    itrace_count_read_page_((const volatile struct perf_event_mmap_page *)count->pages[i], value))
		return 1;
	return count->fds[i] >= 0 && read(count->fds[i], value, sizeof(*value)) == (ssize_t)sizeof(*value);
}

ITRACE_INLINE_ enum pa_count_status itrace_count_begin_(struct pa_count *count)
{
	enum pa_count_status status = PA_COUNT_OK;
	int i;

	for (i = count->n_events - 1; i >= 0; i--)
		if (count->status[i])
			status = count->status[i];
	for (i = 0; i < count->n_events; i++)
		if (!itrace_count_read_(count, i, &count->begins[i]))
			count->begins[i] = UINT64_MAX;
	ITRACE_BARRIER_();
	return status;
}

/* Reads the events in the opposite order of BEGIN, so that the counted stretches nest. */
ITRACE_INLINE_ void itrace_count_end_(struct pa_count *count)
{
	uint64_t end;
	int i;

	ITRACE_BARRIER_();
	for (i = count->n_events - 1; i >= 0; i--) {
		if (!itrace_count_read_(count, i, &end) || count->begins[i] == UINT64_MAX) {
			count->values[i] = PA_COUNT_NONE;
			continue;
		}
		count->values[i] = (int64_t)(end - count->begins[i]) - count->overheads[i];
		if (count->values[i] < 0)
			count->values[i] = 0;
	}
}

#ifdef __cplusplus
}
#endif

#if ITRACE_DEFINES_
#include <itrace/counters_open.h>
#endif

#endif

#endif
