/* Counts hardware events in a stretch of code:
 *
 *	struct pa_count c = PA_COUNT_INIT;
 *
 *	PA_COUNT_BEGIN(c, "cycles", "instructions", "branch-misses");
 *	work();
 *	PA_COUNT_END(c);
 *	PA_COUNT_PRINT(c, stderr);	or c.values[0], in the order of the events
 *	PA_COUNT_CLOSE(c);
 *
 * Counted is the calling thread in user mode (software events: in the kernel too, where that is allowed). What an empty
 * pair counts is measured when c is first used, and subtracted. Hardware events are read by RDPMC where the kernel
 * allows it, else by a system call for each event at both ends.
 *
 * Names are those of perf: see itrace_count_find_ below. With -DPA_WITH_PFM and -lpfm all of libpfm4's work too
 * ("RETIRED_UOPS", "perf::PAGE-FAULTS:u"; libpfm4's showevtinfo lists them). At most PA_COUNT_MAX_EVENTS; hardware
 * events are counted all at once or not at all: ask for fewer if the CPU has too few counters.
 *
 * What cannot be counted has the value PA_COUNT_NONE (-1): one sentence on stderr says why, once in a program, and the
 * program runs on. Most virtual machines have no counters; perf_event_paranoid above 2 and many containers forbid them.
 *
 * c may be used again and again, by the thread that used it first. After fork, a child needs its own. Linux only. With
 * -DPA_DISABLE nothing is counted and all values are PA_COUNT_NONE.
 */
#ifndef ITRACE_COUNTERS_H
#define ITRACE_COUNTERS_H

#include <stdint.h>

#define PA_COUNT_MAX_EVENTS 8
#define PA_COUNT_NONE (-1)

struct pa_count {
	int n_events;			     /* 0 before the first BEGIN and after CLOSE */
	int64_t values[PA_COUNT_MAX_EVENTS]; /* of the last pair, without the overhead; PA_COUNT_NONE: not counted */
	const char *names[PA_COUNT_MAX_EVENTS];

	/* Not for users. */
	int fds[PA_COUNT_MAX_EVENTS];	  /* -1: cannot be counted */
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

#define ITRACE_COUNT_N_(names) ((int)(sizeof(names) / sizeof((names)[0])))

#ifdef PA_DISABLE

#define PA_COUNT_BEGIN(c, ...)                                                                            \
	do {                                                                                              \
		const char *const itrace_names_[] = {__VA_ARGS__};                                        \
                                                                                                          \
		for ((c).n_events = 0;                                                                    \
		     (c).n_events < ITRACE_COUNT_N_(itrace_names_) && (c).n_events < PA_COUNT_MAX_EVENTS; \
		     (c).n_events++)                                                                      \
			(c).values[(c).n_events] = PA_COUNT_NONE;                                         \
	} while (0)
#define PA_COUNT_END(c) ((void)(c).n_events)
#define PA_COUNT_PRINT(c, out) ((void)(c).n_events, (void)(out))
#define PA_COUNT_CLOSE(c) ((void)((c).n_events = 0))

#else

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef PA_WITH_PFM
#include <perfmon/pfmlib_perf_event.h>
#endif

#include <itrace/ticks.h>

#define PA_COUNT_BEGIN(c, ...)                                                                   \
	do {                                                                                     \
		if (__builtin_expect(!(c).n_events, 0)) {                                        \
			const char *const itrace_names_[] = {__VA_ARGS__};                       \
                                                                                                 \
			itrace_count_open_(&(c), itrace_names_, ITRACE_COUNT_N_(itrace_names_)); \
		}                                                                                \
		itrace_count_begin_(&(c));                                                       \
	} while (0)
#define PA_COUNT_END(c) itrace_count_end_(&(c))
#define PA_COUNT_PRINT(c, out) itrace_count_print_(&(c), (out))
#define PA_COUNT_CLOSE(c) itrace_count_close_(&(c))

/* For tests: a file may define it as a counter of its own before it includes this header. */
#ifndef ITRACE_RDPMC_
#define ITRACE_RDPMC_(counter) itrace_rdpmc_(counter)
#endif

#define ITRACE_COUNT_CACHE_(cache, operation, result)                                               \
	PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##operation << 8 | \
				    PERF_COUNT_HW_CACHE_RESULT_##result << 16

struct itrace_count_name_ {
	const char *name;
	uint32_t type;
	uint64_t config;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Hidden by strict ISO modes: see ticks.h. */
extern long itrace_syscall_(long number, ...) __asm__("syscall");

extern ITRACE_SHARED_ int itrace_count_complained_;
int itrace_count_find_(const char *name, struct perf_event_attr *attr);
int itrace_count_open_event_(struct perf_event_attr *attr, int group_fd);
void itrace_count_complain_(const char *name, int error, int in_group);
void itrace_count_open_(struct pa_count *count, const char *const *names, int n_names);
void itrace_count_close_(struct pa_count *count);
void itrace_count_print_(const struct pa_count *count, FILE *out);

int itrace_count_complained_;

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

/* The protocol of struct perf_event_mmap_page in linux/perf_event.h. False: the kernel must be asked. */
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
		/* Its highest bit is a sign. */
		counted += (int64_t)(ITRACE_RDPMC_(index - 1) << (64 - page->pmc_width)) >> (64 - page->pmc_width);
		ITRACE_BARRIER_();
	} while (page->lock != sequence);
	*value = (uint64_t)counted;
	return 1;
}

/* False: the event could not be scheduled. */
ITRACE_INLINE_ int itrace_count_read_(const struct pa_count *count, int i, uint64_t *value)
{
	if (count->pages[i] &&
	    itrace_count_read_page_((const volatile struct perf_event_mmap_page *)count->pages[i], value))
		return 1;
	return count->fds[i] >= 0 && read(count->fds[i], value, sizeof(*value)) == (ssize_t)sizeof(*value);
}

ITRACE_INLINE_ void itrace_count_begin_(struct pa_count *count)
{
	int i;

	for (i = 0; i < count->n_events; i++)
		if (!itrace_count_read_(count, i, &count->begins[i]))
			count->begins[i] = UINT64_MAX;
	ITRACE_BARRIER_();
}

/* In the opposite order, so that each event's stretch lies in the one before. */
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

/* False: there is no such event. */
ITRACE_SHARED_ int itrace_count_find_(const char *name, struct perf_event_attr *attr)
{
	/* The names as in perf-list(1), the numbers as in perf_event_open(2). */
	static const struct itrace_count_name_ known[] = {
		{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
		{"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
		{"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
		{"bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
		{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
		{"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
		{"branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
		{"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
		{"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
		{"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
		{"stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
		{"stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
		{"L1-dcache-loads", ITRACE_COUNT_CACHE_(L1D, READ, ACCESS)},
		{"L1-dcache-load-misses", ITRACE_COUNT_CACHE_(L1D, READ, MISS)},
		{"L1-dcache-stores", ITRACE_COUNT_CACHE_(L1D, WRITE, ACCESS)},
		{"L1-icache-load-misses", ITRACE_COUNT_CACHE_(L1I, READ, MISS)},
		{"LLC-loads", ITRACE_COUNT_CACHE_(LL, READ, ACCESS)},
		{"LLC-load-misses", ITRACE_COUNT_CACHE_(LL, READ, MISS)},
		{"dTLB-loads", ITRACE_COUNT_CACHE_(DTLB, READ, ACCESS)},
		{"dTLB-load-misses", ITRACE_COUNT_CACHE_(DTLB, READ, MISS)},
		{"iTLB-load-misses", ITRACE_COUNT_CACHE_(ITLB, READ, MISS)},
		{"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
		{"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
		{"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
		{"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
		{"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
		{"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
		{"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
	};
	size_t i;

	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(known[i].name, name) == 0) {
			attr->type = known[i].type;
			attr->config = known[i].config;
			return 1;
		}
	}
#ifdef PA_WITH_PFM
	{
		pfm_perf_encode_arg_t encoding;

		memset(&encoding, 0, sizeof(encoding));
		encoding.size = sizeof(encoding);
		encoding.attr = attr;
		return pfm_initialize() == PFM_SUCCESS &&
		       pfm_get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT, &encoding) == PFM_SUCCESS;
	}
#else
	return 0;
#endif
}

/* A file descriptor, or -1 and errno. A pinned group is on the CPU as a whole whenever the thread is, or reads as an
 * end of file: so its counts are never estimates. */
ITRACE_SHARED_ int itrace_count_open_event_(struct perf_event_attr *attr, int group_fd)
{
	const int is_software = attr->type == PERF_TYPE_SOFTWARE;
	long fd;

	attr->pinned = !is_software && group_fd < 0;
	attr->exclude_kernel = !is_software;
	attr->exclude_hv = 1;
	fd = itrace_syscall_(SYS_perf_event_open, attr, 0, -1, is_software ? -1 : group_fd, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0 && is_software && (errno == EACCES || errno == EPERM)) {
		attr->exclude_kernel = 1;
		fd = itrace_syscall_(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	}
	return (int)fd;
}

enum {
	ITRACE_COUNT_TOO_MANY_ = 1,
	ITRACE_COUNT_NO_COUNTERS_ = 2,
	ITRACE_COUNT_FORBIDDEN_ = 4,
	ITRACE_COUNT_OTHER_ = 8,
};

/* Once for each kind, whatever the event. */
ITRACE_SHARED_ void itrace_count_complain_(const char *name, int error, int in_group)
{
	int paranoid = -1, kind = ITRACE_COUNT_OTHER_;
	FILE *file;

	if (error == EINVAL && in_group)
		kind = ITRACE_COUNT_TOO_MANY_;
	else if (error == ENOENT || error == ENODEV || error == EOPNOTSUPP || error == ENXIO)
		kind = ITRACE_COUNT_NO_COUNTERS_;
	else if (error == EACCES || error == EPERM)
		kind = ITRACE_COUNT_FORBIDDEN_;
	if (__atomic_fetch_or(&itrace_count_complained_, kind, __ATOMIC_RELAXED) & kind)
		return;
	switch (kind) {
	case ITRACE_COUNT_TOO_MANY_:
		fprintf(stderr, "counters: '%s' cannot be counted together with the events before it\n", name);
		break;
	case ITRACE_COUNT_NO_COUNTERS_:
		fprintf(stderr,
			"counters: this machine cannot count '%s'; most virtual machines have no hardware counters\n",
			name);
		break;
	case ITRACE_COUNT_FORBIDDEN_:
		file = fopen("/proc/sys/kernel/perf_event_paranoid", "r");
		if (file) {
			if (fscanf(file, "%d", &paranoid) != 1)
				paranoid = -1;
			fclose(file);
		}
		if (paranoid > 2)
			fprintf(stderr,
				"counters: perf_event_paranoid is %d, which forbids counting; "
				"'sysctl kernel.perf_event_paranoid=2' allows it\n",
				paranoid);
		else
			fprintf(stderr,
				"counters: counting '%s' is forbidden, though not by perf_event_paranoid, which is %d: "
				"by a container's seccomp filter or a security module\n",
				name, paranoid);
		break;
	default:
		fprintf(stderr, "counters: cannot count '%s': %s\n", name,
			error == ENOSYS ? "this kernel has no perf events" : strerror(error));
	}
}

#define ITRACE_COUNT_PAIRS_ 21
#define ITRACE_COUNT_PAGE_BYTES_ 4096 /* the part that RDPMC needs */

ITRACE_SHARED_ void itrace_count_open_(struct pa_count *count, const char *const *names, int n_names)
{
	int64_t empty[PA_COUNT_MAX_EVENTS][ITRACE_COUNT_PAIRS_];
	struct perf_event_attr attr;
	int i, j, group_fd = -1;

	memset(count, 0, sizeof(*count));
	for (i = 0; i < n_names && i < PA_COUNT_MAX_EVENTS; i++) {
		count->names[i] = names[i];
		count->fds[i] = -1;
		if (!itrace_count_find_(names[i], &attr)) {
			fprintf(stderr, "counters: there is no event '%s'\n", names[i]);
			continue;
		}
		count->fds[i] = itrace_count_open_event_(&attr, group_fd);
		if (count->fds[i] < 0) {
			itrace_count_complain_(names[i], errno, group_fd >= 0);
			continue;
		}
		if (attr.type == PERF_TYPE_SOFTWARE)
			continue;
		if (group_fd < 0)
			group_fd = count->fds[i];
		count->pages[i] = mmap(NULL, ITRACE_COUNT_PAGE_BYTES_, PROT_READ, MAP_SHARED, count->fds[i], 0);
		if (count->pages[i] == MAP_FAILED)
			count->pages[i] = NULL;
	}
	if (n_names > PA_COUNT_MAX_EVENTS)
		fprintf(stderr, "counters: only the first %d of %d events are counted\n", PA_COUNT_MAX_EVENTS, n_names);
	count->n_events = i;
	for (j = 0; j < ITRACE_COUNT_PAIRS_; j++) {
		itrace_count_begin_(count);
		itrace_count_end_(count);
		for (i = 0; i < count->n_events; i++)
			empty[i][j] = count->values[i];
	}
	for (i = 0; i < count->n_events; i++)
		count->overheads[i] = (int64_t)(itrace_middle_mean_(empty[i], ITRACE_COUNT_PAIRS_) + 0.5);
}

ITRACE_SHARED_ void itrace_count_close_(struct pa_count *count)
{
	int i;

	for (i = 0; i < count->n_events; i++) {
		if (count->pages[i])
			munmap(count->pages[i], ITRACE_COUNT_PAGE_BYTES_);
		if (count->fds[i] >= 0)
			close(count->fds[i]);
	}
	count->n_events = 0;
}

ITRACE_SHARED_ void itrace_count_print_(const struct pa_count *count, FILE *out)
{
	int i;

	for (i = 0; i < count->n_events; i++) {
		if (count->values[i] == PA_COUNT_NONE)
			fprintf(out, "%20s  %s\n", "not counted", count->names[i]);
		else
			fprintf(out, "%20lld  %s\n", (long long)count->values[i], count->names[i]);
	}
}

#ifdef __cplusplus
}
#endif

#endif

#endif
