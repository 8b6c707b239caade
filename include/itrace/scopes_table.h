/* The second half of scopes.h, which includes it: the tables of scopes and threads. Not for direct use. */
#ifndef ITRACE_SCOPES_TABLE_H
#define ITRACE_SCOPES_TABLE_H

#include <itrace/scopes.h>

#ifndef PA_DISABLE

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct itrace_scope_sum_ { /* all threads' */
	const char *name, *file;
	uint32_t line;
	struct itrace_scope_record_ record;
};

struct itrace_scopes_ {
	pthread_mutex_t lock; /* of all below */
	pthread_key_t key;    /* a thread's table, for its destructor */
	int started;
	pid_t pid; /* of the process that loaded the program; a fork's child has another */
	uint64_t longest;
	int64_t inside, pair;
	struct itrace_scope_sum_ *sums; /* [n_sums] by id */
	uint32_t n_sums, capacity;
	struct itrace_scope_thread_ *threads;
};

#define ITRACE_SCOPE_NOTHING_                          \
	{                                              \
		0, 0, 0, 0, INT64_MAX, INT64_MIN, 0, 0 \
	}
#define ITRACE_CACHE_LINE_BYTES_ 64

#ifdef __cplusplus
extern "C" {
#endif

/* Hidden by strict ISO modes: see ticks.h. */
extern int itrace_posix_memalign_(void **memory, size_t alignment, size_t n_bytes) __asm__("posix_memalign");

extern ITRACE_SHARED_ struct itrace_scopes_ itrace_scopes_;
extern ITRACE_SHARED_ struct itrace_scope_record_ itrace_scope_nowhere_;
extern ITRACE_SHARED_ struct itrace_scope_thread_ itrace_scope_no_thread_;
int itrace_scope_is_same_(const struct itrace_scope_sum_ *sum, const struct itrace_scope_site_ *site);
void itrace_scope_measure_(void);
int itrace_scope_register_(struct itrace_scope_site_ *site);
void *itrace_scope_allocate_(size_t n_bytes);
int itrace_scope_grow_(struct itrace_scope_thread_ *thread);
void itrace_scope_start_(void);
void itrace_scope_merge_(const struct itrace_scope_thread_ *thread);
void itrace_scope_thread_ends_(void *ended);
void itrace_scope_before_fork_(void);
void itrace_scope_after_fork_(void);
void itrace_scope_in_child_(void);
void itrace_scope_at_exit_(void);

/* Takes what cannot be counted for want of memory. */
struct itrace_scope_record_ itrace_scope_nowhere_;
struct itrace_scope_thread_ itrace_scope_no_thread_ = {&itrace_scope_nowhere_, 0, 0, UINT64_MAX, 0, 0, 0, 0, NULL};
__thread struct itrace_scope_thread_ *itrace_scope_thread_ = &itrace_scope_no_thread_;
struct itrace_scopes_ itrace_scopes_ = {PTHREAD_MUTEX_INITIALIZER, 0, 0, 0, 0, 0, 0, NULL, 0, 0, NULL};

/* Few, for the sake of programs that are traced instruction by instruction from their start. */
#define ITRACE_SCOPE_BATCHES_ 25
#define ITRACE_SCOPE_BATCH_CALLS_ 10

/* Some 50 ns that nothing can shorten: each step needs the one before, and so short a loop is predicted well. */
#define ITRACE_SCOPE_STEP_(value) \
	(value) += (value) >> 1;  \
	__asm__ __volatile__("" : "+r"(value))

ITRACE_INLINE_ void itrace_scope_work_(void)
{
	unsigned i, value = 1;

	for (i = 0; i < 10; i++) {
		ITRACE_SCOPE_STEP_(value);
		ITRACE_SCOPE_STEP_(value);
		ITRACE_SCOPE_STEP_(value);
		ITRACE_SCOPE_STEP_(value);
		ITRACE_SCOPE_STEP_(value);
		ITRACE_SCOPE_STEP_(value);
		ITRACE_SCOPE_STEP_(value);
		ITRACE_SCOPE_STEP_(value);
	}
}

ITRACE_INLINE_ int64_t itrace_scope_rounded_(double ticks)
{
	return (int64_t)(ticks < 0 ? ticks - 0.5 : ticks + 0.5);
}

/* What a scope adds to the work in it. An empty one would not tell: in the midst of other work a good part of the
 * time that its two readings of the clock take passes unnoticed. */
ITRACE_SHARED_ void itrace_scope_measure_(void)
{
	static struct itrace_scope_site_ site = {"", "", 0, 0};
	struct itrace_scope_thread_ *former = itrace_scope_thread_;
	struct itrace_scope_record_ record = {0, 0, 0, 0, 0, 0, 0, 0};
	struct itrace_scope_thread_ thread = {&record, 1, 0, UINT64_MAX, 0, 0, 0, 0, NULL};
	int64_t inside[ITRACE_SCOPE_BATCHES_], pair[ITRACE_SCOPE_BATCHES_];
	const int64_t n = ITRACE_SCOPE_BATCH_CALLS_;
	int i, j;

	itrace_scope_thread_ = &thread;
	for (i = 0; i < ITRACE_SCOPE_BATCHES_; i++) {
		uint64_t begin = ITRACE_SCOPE_TICKS_(), middle, end;

		for (j = 0; j < n; j++)
			itrace_scope_work_();
		middle = ITRACE_SCOPE_TICKS_();
		record.sum = 0;
		for (j = 0; j < n; j++) {
			struct itrace_scope_frame_ frame;

			itrace_scope_begin_(&frame, &site);
			itrace_scope_work_();
			itrace_scope_count_(&frame, ITRACE_SCOPE_TICKS_());
		}
		end = ITRACE_SCOPE_TICKS_();
		inside[i] = record.sum - (int64_t)(middle - begin);
		pair[i] = (int64_t)(end - middle) - (int64_t)(middle - begin);
	}
	itrace_scope_thread_ = former;
	itrace_scopes_.inside = itrace_scope_rounded_(itrace_middle_mean_(inside, ITRACE_SCOPE_BATCHES_) / (double)n);
	itrace_scopes_.pair = itrace_scope_rounded_(itrace_middle_mean_(pair, ITRACE_SCOPE_BATCHES_) / (double)n);
}

ITRACE_SHARED_ void itrace_scope_merge_(const struct itrace_scope_thread_ *thread)
{
	uint32_t i;

	for (i = 0; i < thread->n_records; i++) {
		struct itrace_scope_record_ *from = &thread->records[i], *to = &itrace_scopes_.sums[i].record;
		int64_t min = ITRACE_SCOPE_LOAD_(from->min), max = ITRACE_SCOPE_LOAD_(from->max);

		to->calls += ITRACE_SCOPE_LOAD_(from->calls);
		to->sum += ITRACE_SCOPE_LOAD_(from->sum);
		to->total += ITRACE_SCOPE_LOAD_(from->total);
		to->self += ITRACE_SCOPE_LOAD_(from->self);
		to->min = min < to->min ? min : to->min;
		to->max = max > to->max ? max : to->max;
		to->backwards += ITRACE_SCOPE_LOAD_(from->backwards);
		to->overlong += ITRACE_SCOPE_LOAD_(from->overlong);
	}
}

ITRACE_SHARED_ void itrace_scope_thread_ends_(void *ended)
{
	struct itrace_scope_thread_ *thread = (struct itrace_scope_thread_ *)ended, **link;

	pthread_mutex_lock(&itrace_scopes_.lock);
	itrace_scope_merge_(thread);
	for (link = &itrace_scopes_.threads; *link && *link != thread; link = &(*link)->next)
		;
	if (*link)
		*link = thread->next;
	pthread_mutex_unlock(&itrace_scopes_.lock);
	/* Destructors of other thread-specific data may pass scopes after this. */
	itrace_scope_thread_ = &itrace_scope_no_thread_;
	free(thread->records);
	free(thread);
}

ITRACE_SHARED_ void itrace_scope_before_fork_(void)
{
	pthread_mutex_lock(&itrace_scopes_.lock);
}

ITRACE_SHARED_ void itrace_scope_after_fork_(void)
{
	pthread_mutex_unlock(&itrace_scopes_.lock);
}

/* The parent's tables stay allocated: scopes that are open across the fork count there when they end, for nobody. */
ITRACE_SHARED_ void itrace_scope_in_child_(void)
{
	static const struct itrace_scope_record_ nothing = ITRACE_SCOPE_NOTHING_;
	uint32_t i;

	for (i = 0; i < itrace_scopes_.n_sums; i++)
		itrace_scopes_.sums[i].record = nothing;
	itrace_scopes_.threads = NULL;
	itrace_scope_thread_ = &itrace_scope_no_thread_;
	pthread_setspecific(itrace_scopes_.key, NULL);
	pthread_mutex_unlock(&itrace_scopes_.lock);
}

ITRACE_SHARED_ void itrace_scope_start_(void)
{
	itrace_scopes_.pid = getpid();
	pthread_once(&itrace_first_once_, itrace_take_first_instant_);
	itrace_scope_measure_();
	itrace_scopes_.longest = (uint64_t)(PA_SCOPE_LONGEST_S * 1e9 / itrace_ns_per_tick_(50000));
	pthread_key_create(&itrace_scopes_.key, itrace_scope_thread_ends_);
	pthread_atfork(itrace_scope_before_fork_, itrace_scope_after_fork_, itrace_scope_in_child_);
	atexit(itrace_scope_at_exit_);
	itrace_scopes_.started = 1;
}

/* Early, so that no region of itrace and no scope has it inside. */
static __attribute__((constructor, unused)) void itrace_scope_load_(void)
{
	pthread_mutex_lock(&itrace_scopes_.lock);
	if (!itrace_scopes_.started)
		itrace_scope_start_();
	pthread_mutex_unlock(&itrace_scopes_.lock);
}

ITRACE_SHARED_ int itrace_scope_is_same_(const struct itrace_scope_sum_ *sum, const struct itrace_scope_site_ *site)
{
	return sum->line == site->line && strcmp(sum->name, site->name) == 0 && strcmp(sum->file, site->file) == 0;
}

/* Its texts are copied, since a library that was unloaded takes its own along. False: no memory. */
ITRACE_SHARED_ int itrace_scope_register_(struct itrace_scope_site_ *site)
{
	static const struct itrace_scope_record_ nothing = ITRACE_SCOPE_NOTHING_;
	size_t name_bytes = strlen(site->name) + 1, file_bytes = strlen(site->file) + 1;
	struct itrace_scope_sum_ *sum, *sums;
	uint32_t id;
	char *texts;

	for (id = 0; id < itrace_scopes_.n_sums; id++) {
		if (itrace_scope_is_same_(&itrace_scopes_.sums[id], site)) {
			__atomic_store_n(&site->id, id, __ATOMIC_RELAXED);
			return 1;
		}
	}
	if (id == itrace_scopes_.capacity) {
		sums = (struct itrace_scope_sum_ *)realloc(itrace_scopes_.sums, (id * 2 + 16) * sizeof(*sums));
		if (!sums)
			return 0;
		itrace_scopes_.sums = sums;
		itrace_scopes_.capacity = id * 2 + 16;
	}
	texts = (char *)malloc(name_bytes + file_bytes);
	if (!texts)
		return 0;
	sum = &itrace_scopes_.sums[id];
	sum->name = (const char *)memcpy(texts, site->name, name_bytes);
	sum->file = (const char *)memcpy(texts + name_bytes, site->file, file_bytes);
	sum->line = site->line;
	sum->record = nothing;
	itrace_scopes_.n_sums = id + 1;
	__atomic_store_n(&site->id, id, __ATOMIC_RELAXED);
	return 1;
}

/* Memory that shares no cache line with another thread's, or NULL. */
ITRACE_SHARED_ void *itrace_scope_allocate_(size_t n_bytes)
{
	void *memory;

	n_bytes = (n_bytes + ITRACE_CACHE_LINE_BYTES_ - 1) / ITRACE_CACHE_LINE_BYTES_ * ITRACE_CACHE_LINE_BYTES_;
	return itrace_posix_memalign_(&memory, ITRACE_CACHE_LINE_BYTES_, n_bytes) == 0 ? memory : NULL;
}

/* Makes room for all scopes that are known. False: no memory. */
ITRACE_SHARED_ int itrace_scope_grow_(struct itrace_scope_thread_ *thread)
{
	static const struct itrace_scope_record_ nothing = ITRACE_SCOPE_NOTHING_;
	struct itrace_scope_record_ *records = thread->records;

	if (thread->capacity < itrace_scopes_.capacity) {
		records = (struct itrace_scope_record_ *)itrace_scope_allocate_(itrace_scopes_.capacity *
										sizeof(*records));
		if (!records)
			return 0;
		if (thread->n_records)
			memcpy(records, thread->records, thread->n_records * sizeof(*records));
		free(thread->records);
		thread->records = records;
		thread->capacity = itrace_scopes_.capacity;
	}
	while (thread->n_records < itrace_scopes_.n_sums)
		records[thread->n_records++] = nothing;
	return 1;
}

/* For a scope that is new, or new to this thread. What that takes is no part of the scopes around it. */
ITRACE_SHARED_ struct itrace_scope_thread_ *itrace_scope_prepare_(struct itrace_scope_site_ *site)
{
	struct itrace_scope_thread_ *thread = itrace_scope_thread_;
	uint64_t begin = ITRACE_SCOPE_TICKS_();
	int ok;

	pthread_mutex_lock(&itrace_scopes_.lock);
	if (!itrace_scopes_.started) /* a constructor that ran earlier passes a scope */
		itrace_scope_start_();
	ok = itrace_scope_register_(site);
	if (ok && thread == &itrace_scope_no_thread_) {
		thread = (struct itrace_scope_thread_ *)itrace_scope_allocate_(sizeof(*thread));
		ok = thread && pthread_setspecific(itrace_scopes_.key, thread) == 0;
		if (ok) {
			memset(thread, 0, sizeof(*thread));
			thread->longest = itrace_scopes_.longest;
			thread->inside = itrace_scopes_.inside;
			thread->pair = itrace_scopes_.pair;
			thread->next = itrace_scopes_.threads;
			itrace_scopes_.threads = thread;
			itrace_scope_thread_ = thread;
		} else {
			free(thread);
		}
	}
	ok = ok && itrace_scope_grow_(thread);
	pthread_mutex_unlock(&itrace_scopes_.lock);
	if (!ok)
		return &itrace_scope_no_thread_;
	thread->lost += (int64_t)(ITRACE_SCOPE_TICKS_() - begin);
	return thread;
}

ITRACE_SHARED_ void itrace_scope_error_(struct itrace_scope_frame_ *frame, uint64_t interval)
{
	struct itrace_scope_record_ *record = &frame->thread->records[frame->id];

	if ((int64_t)interval < 0)
		ITRACE_SCOPE_STORE_(record->backwards, record->backwards + 1);
	else
		ITRACE_SCOPE_STORE_(record->overlong, record->overlong + 1);
	frame->thread->children += frame->children;
	frame->thread->lost += frame->thread->pair;
}

#ifdef __cplusplus
}
#endif

#include <itrace/scopes_report.h>

#endif

#endif
