/* The events of counters.h: names, opening and printing. counters.h includes this file if functions are defined
 * (ticks.h). Not for direct use. */
#ifndef ITRACE_COUNTERS_OPEN_H
#define ITRACE_COUNTERS_OPEN_H

#include <itrace/counters.h>

#if !defined(PA_DISABLE) && ITRACE_DEFINES_

#include <sys/mman.h>
#include <sys/syscall.h>

#ifdef PA_WITH_PFM
#include <perfmon/pfmlib_perf_event.h>
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

#if !defined(__cplusplus) && defined(__STRICT_ANSI__)
extern long syscall(long number, ...); /* -std=c99 hides it in unistd.h */
#endif

ITRACE_SHARED_ int itrace_count_find_(const char *name, struct perf_event_attr *attr);
ITRACE_SHARED_ int itrace_count_open_event_(struct perf_event_attr *attr, int group_fd);

/* Initializes *attr for an event. Returns 0 if no event has this name. */
ITRACE_SHARED_ int itrace_count_find_(const char *name, struct perf_event_attr *attr)
{
	/* Names of perf-list(1), numbers of perf_event_open(2). */
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

/* Returns a file descriptor, or -1 and errno. The kernel counts all events of a pinned group whenever the thread runs.
 * If it cannot, reading the group gives end of file. Therefore counts are never scaled estimates. */
ITRACE_SHARED_ int itrace_count_open_event_(struct perf_event_attr *attr, int group_fd)
{
	const int is_software = attr->type == PERF_TYPE_SOFTWARE;
	long fd;

	attr->pinned = !is_software && group_fd < 0;
	attr->exclude_kernel = !is_software;
	attr->exclude_hv = 1;
	fd = syscall(SYS_perf_event_open, attr, 0, -1, is_software ? -1 : group_fd, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0 && is_software && (errno == EACCES || errno == EPERM)) {
		attr->exclude_kernel = 1;
		fd = syscall(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	}
	return (int)fd;
}

/* Errors of perf_event_open(2). */
ITRACE_INLINE_ enum pa_count_status itrace_count_status_(int error, int in_group)
{
	switch (error) {
	case EINVAL:
		return in_group ? PA_COUNT_TOO_MANY : PA_COUNT_FAILED;
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
	case ENXIO:
		return PA_COUNT_NO_COUNTER;
	case EACCES:
	case EPERM:
		return PA_COUNT_FORBIDDEN;
	default:
		return PA_COUNT_FAILED;
	}
}

#define ITRACE_COUNT_PAIRS_ 21
#define ITRACE_COUNT_PAGE_BYTES_ 4096 /* the part that RDPMC needs */

/* Opens event i in the group of group_fd; -1: no group yet. Returns the descriptor of the group. */
ITRACE_INLINE_ int itrace_count_add_(struct pa_count *count, int i, int group_fd)
{
	struct perf_event_attr attr;

	count->fds[i] = -1;
	if (!itrace_count_find_(count->names[i], &attr)) {
		count->status[i] = PA_COUNT_NO_EVENT;
		return group_fd;
	}
	count->fds[i] = itrace_count_open_event_(&attr, group_fd);
	if (count->fds[i] < 0) {
		count->errnos[i] = errno;
		count->status[i] = itrace_count_status_(errno, group_fd >= 0);
		return group_fd;
	}
	if (attr.type == PERF_TYPE_SOFTWARE)
		return group_fd;
	count->pages[i] = mmap(NULL, ITRACE_COUNT_PAGE_BYTES_, PROT_READ, MAP_SHARED, count->fds[i], 0);
	if (count->pages[i] == MAP_FAILED)
		count->pages[i] = NULL;
	return group_fd < 0 ? count->fds[i] : group_fd;
}

/* Excludes its own time from open scopes. */
ITRACE_SHARED_ void itrace_count_open_(struct pa_count *count, const char *const *names, int n_names)
{
	int64_t empty[PA_COUNT_MAX_EVENTS][ITRACE_COUNT_PAIRS_];
	uint64_t begin = itrace_ticks_();
	int i, j, group_fd = -1;

	memset(count, 0, sizeof(*count));
	for (i = 0; i < n_names; i++) {
		count->names[i] = names[i];
		group_fd = itrace_count_add_(count, i, group_fd);
	}
	count->n_events = n_names;
	for (j = 0; j < ITRACE_COUNT_PAIRS_; j++) {
		itrace_count_begin_(count);
		itrace_count_end_(count);
		for (i = 0; i < n_names; i++)
			empty[i][j] = count->values[i];
	}
	for (i = 0; i < n_names; i++) {
		double mean = itrace_trimmed_mean_(empty[i], ITRACE_COUNT_PAIRS_, ITRACE_COUNT_PAIRS_ / 4);

		count->overheads[i] = count->fds[i] < 0 ? 0 : (int64_t)(mean + 0.5);
	}
	itrace_exclude_since_(begin);
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

/* Writes a line for each event: value and name, or name and the reason why the event is not counted. */
ITRACE_SHARED_ void itrace_count_print_(const struct pa_count *count, FILE *out)
{
	static const char reasons[][80] = {
		"", /* PA_COUNT_OK without a value: the event was not always on the CPU */
		": there is no such event",
		": this machine has no counter for it, as most virtual machines",
		": no counter is left after the events before it",
		": forbidden by perf_event_paranoid (above 2), seccomp or a security module",
	};
	int i;

	for (i = 0; i < count->n_events; i++) {
		if (count->values[i] != PA_COUNT_NONE)
			fprintf(out, "%20lld  %s\n", (long long)count->values[i], count->names[i]);
		else if (count->status[i] < PA_COUNT_FAILED)
			fprintf(out, "%20s  %s%s\n", "not counted", count->names[i], reasons[count->status[i]]);
		else
			fprintf(out, "%20s  %s: %s\n", "not counted", count->names[i], strerror(count->errnos[i]));
	}
}

#ifdef __cplusplus
}
#endif

#endif

#endif
