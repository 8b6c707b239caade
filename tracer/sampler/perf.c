#include "sampler/perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/order.h"

/* The buffer of one series on one processor. Buffers of four series on every processor fit into the memory
 * that an unprivileged user may lock (perf_event_mlock_kb, 516 KiB per processor). */
#define BUFFER_BYTES 65536
/* perf_event_header, address, pid and tid, time. */
#define SAMPLE_BYTES 32
/* The longest time between two reads of the buffers. */
#define DRAIN_NS_MAX 500000000

/* One series of one thread on one processor. The buffer of an inherited event must belong to a single processor
 * (perf_event_open(2)). */
struct event {
	int fd;
	uint32_t series;
	int cpu;
	struct perf_event_mmap_page *buffer; /* NULL: shares the buffer of the first thread */
};

enum record_kind { RECORD_SAMPLE, RECORD_MAPPED, RECORD_EXEC };

/* A record, kept until all records are sorted by time. */
struct record {
	uint64_t time_ns;
	uint64_t va;
	enum record_kind kind;
	int32_t tid;	 /* RECORD_SAMPLE */
	uint32_t series; /* RECORD_SAMPLE */
	bool in_kernel;	 /* RECORD_SAMPLE */
	size_t mapping;	 /* RECORD_MAPPED: index in mappings */
};

struct perf {
	pid_t pid;
	uint64_t shortest_ns;
	struct event *events;
	size_t n_events, events_capacity;
	struct record *records;
	size_t n_records, records_capacity;
	struct mapping *mappings;
	size_t n_mappings, mappings_capacity;
	uint64_t n_lost, n_throttled, n_in_children;
};

/* The layouts of the records that open_event() asks for (perf_event_open(2)). */
struct sample_record {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time_ns;
};

struct mmap2_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start_va, n_bytes, offset_bytes;
	uint32_t device_major, device_minor;
	uint64_t inode, inode_generation;
	uint32_t protection, flags;
	char path[];
};

struct comm_record {
	struct perf_event_header header;
	uint32_t pid, tid;
};

struct lost_record {
	struct perf_event_header header;
	uint64_t id, n_lost;
};

static int open_event(pid_t pid, int cpu, uint64_t period_ns, bool with_kernel, bool is_first)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = period_ns,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.inherit = 1,
		.exclude_kernel = !with_kernel,
		.exclude_hv = 1,
		.sample_id_all = 1,
		.mmap = is_first,
		.mmap2 = is_first,
		.comm = is_first,
		.comm_exec = is_first,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};

	return (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static const struct event *find_buffered(const struct perf *perf, int cpu, uint32_t series)
{
	for (size_t i = 0; i < perf->n_events; i++)
		if (perf->events[i].buffer && perf->events[i].cpu == cpu && perf->events[i].series == series)
			return &perf->events[i];
	return NULL;
}

/* Events of one series on one processor share a buffer. */
static bool give_buffer(const struct perf *perf, struct event *event)
{
	const struct event *other = find_buffered(perf, event->cpu, event->series);
	size_t n_bytes = (size_t)sysconf(_SC_PAGESIZE) + BUFFER_BYTES;

	if (other)
		return ioctl(event->fd, PERF_EVENT_IOC_SET_OUTPUT, other->fd) == 0;
	event->buffer = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, event->fd, 0);
	if (event->buffer != MAP_FAILED)
		return true;
	event->buffer = NULL;
	return false;
}

static bool add_event(struct perf *perf, pid_t tid, int cpu, uint32_t series, uint64_t period_ns, bool with_kernel)
{
	struct event event = {.series = series, .cpu = cpu};

	event.fd = open_event(tid, cpu, period_ns, with_kernel, series == 0);
	if (event.fd < 0) /* the processor is offline, or the thread has ended */
		return errno == ENODEV || errno == ESRCH;
	if (!give_buffer(perf, &event)) {
		int errno_value = errno;

		close(event.fd);
		errno = errno_value;
		return false;
	}
	*ARRAY_ADD(perf, events) = event;
	return true;
}

static void close_events(struct perf *perf)
{
	for (size_t i = 0; i < perf->n_events; i++) {
		if (perf->events[i].buffer)
			munmap(perf->events[i].buffer, (size_t)sysconf(_SC_PAGESIZE) + BUFFER_BYTES);
		close(perf->events[i].fd);
	}
	perf->n_events = 0;
}

static bool open_events(struct perf *perf, const pid_t *tids, size_t n_tids, const struct sampling *sampling)
{
	size_t n_cpus = (size_t)sysconf(_SC_NPROCESSORS_CONF), n_series = sampling->n_series;

	for (size_t i = 0; i < n_tids * n_cpus * n_series; i++) {
		uint32_t series = (uint32_t)(i % n_series);

		if (add_event(perf, tids[i / n_series / n_cpus], (int)(i / n_series % n_cpus), series,
			      sampling->series[series].period_ns, sampling->sees_kernel))
			continue;
		close_events(perf);
		return false;
	}
	if (!perf->n_events)
		errno = ESRCH;
	return perf->n_events > 0;
}

static bool explain_refusal(pid_t pid, int errno_value, struct error *err)
{
	bool is_foreign = (errno_value == EACCES || errno_value == EPERM) && process_is_of_another_user(pid);

	errno = errno_value;
	if (is_foreign)
		return error_set_errno(err, ERROR_ENVIRONMENT,
				       "cannot sample process %d: it is another user's; run as that user or as root",
				       (int)pid);
	return error_set_errno(err, ERROR_ENVIRONMENT,
			       "the kernel does not let itrace sample (perf_event_open; see "
			       "/proc/sys/kernel/perf_event_paranoid)");
}

struct perf *perf_create(struct sampling *sampling, const pid_t *tids, size_t n_tids, struct error *err)
{
	struct perf *perf = xcalloc(1, sizeof(*perf));
	bool ok;

	perf->pid = sampling->pid;
	perf->shortest_ns = UINT64_MAX;
	for (size_t i = 0; i < sampling->n_series; i++)
		if (sampling->series[i].period_ns < perf->shortest_ns)
			perf->shortest_ns = sampling->series[i].period_ns;
	sampling->sees_kernel = true;
	ok = open_events(perf, tids, n_tids, sampling);
	if (!ok && (errno == EACCES || errno == EPERM)) {
		sampling->sees_kernel = false;
		ok = open_events(perf, tids, n_tids, sampling);
	}
	if (!ok) {
		explain_refusal(tids[0], errno, err);
		perf_destroy(perf);
		return NULL;
	}
	return perf;
}

void perf_destroy(struct perf *perf)
{
	if (!perf)
		return;
	close_events(perf);
	for (size_t i = 0; i < perf->n_mappings; i++)
		free(perf->mappings[i].path);
	free(perf->mappings);
	free(perf->events);
	free(perf->records);
	free(perf);
}

uint64_t perf_drain_interval_ns(const struct perf *perf)
{
	/* Returns the time in which half a buffer fills. */
	uint64_t ns = perf->shortest_ns * (BUFFER_BYTES / SAMPLE_BYTES / 2);

	return ns < DRAIN_NS_MAX ? ns : DRAIN_NS_MAX;
}

size_t perf_count_samples(const struct perf *perf)
{
	size_t n_samples = 0;

	for (size_t i = 0; i < perf->n_records; i++)
		n_samples += perf->records[i].kind == RECORD_SAMPLE;
	return n_samples;
}

/* Every record except a sample ends with eight bytes of time (sample_id_all). */
static uint64_t time_at_end(const struct perf_event_header *header)
{
	uint64_t time_ns;

	memcpy(&time_ns, (const char *)header + header->size - sizeof(time_ns), sizeof(time_ns));
	return time_ns;
}

static void on_sample(struct perf *perf, uint32_t series, const struct sample_record *sample)
{
	uint16_t mode = sample->header.misc & PERF_RECORD_MISC_CPUMODE_MASK;

	if ((pid_t)sample->pid != perf->pid) {
		perf->n_in_children += series == 0;
		return;
	}
	*ARRAY_ADD(perf, records) = (struct record){.kind = RECORD_SAMPLE,
						    .time_ns = sample->time_ns,
						    .va = sample->ip,
						    .tid = (int32_t)sample->tid,
						    .series = series,
						    .in_kernel = mode != PERF_RECORD_MISC_USER};
}

static void on_mapped(struct perf *perf, const struct mmap2_record *mapped)
{
	if ((pid_t)mapped->pid != perf->pid)
		return;
	*ARRAY_ADD(perf, records) = (struct record){.kind = RECORD_MAPPED,
						    .time_ns = time_at_end(&mapped->header),
						    .mapping = perf->n_mappings};
	*ARRAY_ADD(perf, mappings) = (struct mapping){
		.start_va = mapped->start_va,
		.end_va = mapped->start_va + mapped->n_bytes,
		.offset_bytes = mapped->offset_bytes,
		/* The kernel calls anonymous memory "//anon" (kernel/events/core.c, perf_event_mmap_event). */
		.path = xstrdup(strcmp(mapped->path, "//anon") == 0 ? "" : mapped->path),
	};
}

static void on_record(struct perf *perf, uint32_t series, const struct perf_event_header *header)
{
	const struct comm_record *comm;

	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		on_sample(perf, series, (const struct sample_record *)header);
		break;
	case PERF_RECORD_MMAP2:
		on_mapped(perf, (const struct mmap2_record *)header);
		break;
	case PERF_RECORD_COMM:
		comm = (const struct comm_record *)header;
		if ((header->misc & PERF_RECORD_MISC_COMM_EXEC) && (pid_t)comm->pid == perf->pid)
			*ARRAY_ADD(perf, records) = (struct record){.kind = RECORD_EXEC,
								    .time_ns = time_at_end(header)};
		break;
	case PERF_RECORD_LOST:
		perf->n_lost += ((const struct lost_record *)header)->n_lost;
		break;
	case PERF_RECORD_THROTTLE:
		perf->n_throttled++;
		break;
	default:
		break;
	}
}

static void drain_event(struct perf *perf, const struct event *event)
{
	const char *data = (const char *)event->buffer + sysconf(_SC_PAGESIZE);
	uint64_t head = __atomic_load_n(&event->buffer->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = event->buffer->data_tail;
	/* The size of a record has 16 bits. */
	static _Alignas(8) char record[UINT16_MAX + 1];

	while (tail < head) {
		size_t at = tail % BUFFER_BYTES, n_bytes, n_before_wrap;
		struct perf_event_header header;

		/* Records are multiples of 8 bytes, so that the header never wraps. */
		memcpy(&header, data + at, sizeof(header));
		n_bytes = header.size;
		if (n_bytes < sizeof(header))
			break;
		n_before_wrap = at + n_bytes > BUFFER_BYTES ? BUFFER_BYTES - at : n_bytes;
		memcpy(record, data + at, n_before_wrap);
		memcpy(record + n_before_wrap, data, n_bytes - n_before_wrap);
		on_record(perf, event->series, (const struct perf_event_header *)record);
		tail += n_bytes;
	}
	__atomic_store_n(&event->buffer->data_tail, head, __ATOMIC_RELEASE);
}

void perf_drain(struct perf *perf)
{
	for (size_t i = 0; i < perf->n_events; i++)
		if (perf->events[i].buffer)
			drain_event(perf, &perf->events[i]);
}

void perf_stop(struct perf *perf)
{
	for (size_t i = 0; i < perf->n_events; i++)
		ioctl(perf->events[i].fd, PERF_EVENT_IOC_DISABLE, 0);
}

/* Orders records by time, and a mapping before a sample of the same time. */
static int compare_records(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	return ORDER(x->time_ns, y->time_ns) ?: (x->kind == RECORD_SAMPLE) - (y->kind == RECORD_SAMPLE);
}

static void add_sample(struct sampling *sampling, const struct memory_map *map, const struct record *record,
		       uint64_t begin_ns)
{
	struct sampling_series *series = &sampling->series[record->series];
	struct sample *sample = ARRAY_ADD(series, samples);

	sample->time_ns = record->time_ns > begin_ns ? record->time_ns - begin_ns : 0;
	sample->tid = record->tid;
	sample->module = SAMPLING_NONE;
	sample->in_kernel = record->in_kernel;
	if (record->in_kernel)
		return;
	sample->va = record->va;
	memory_map_locate(map, sample);
}

void perf_finish(struct perf *perf, struct sampling *sampling, struct memory_map *map, uint64_t begin_ns)
{
	if (perf->n_records)
		qsort(perf->records, perf->n_records, sizeof(*perf->records), compare_records);
	for (size_t i = 0; i < perf->n_records; i++) {
		const struct record *record = &perf->records[i];

		switch (record->kind) {
		case RECORD_SAMPLE:
			add_sample(sampling, map, record, begin_ns);
			break;
		case RECORD_MAPPED:
			memory_map_add(map, &perf->mappings[record->mapping], sampling);
			break;
		case RECORD_EXEC:
			memory_map_clear(map);
			break;
		}
	}
	sampling->n_lost = perf->n_lost;
	sampling->n_throttled = perf->n_throttled;
	sampling->n_in_children = perf->n_in_children;
}
