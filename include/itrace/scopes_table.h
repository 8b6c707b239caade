/* The tables of scopes and threads, and the slow paths of scopes.h. scopes.h includes this file if functions are
 * defined (ticks.h). Not for direct use. */
#ifndef ITRACE_SCOPES_TABLE_H
#define ITRACE_SCOPES_TABLE_H

#include <itrace/scopes.h>

#if !defined(PA_DISABLE) && ITRACE_DEFINES_

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The counts of one scope, over all threads. */
struct itrace_scope_sum_ {
	const char *name, *file; /* both are in one allocation, which begins at name */
	uint32_t line;
	int is_unnamed; /* `name` is the name of the function */
	struct itrace_scope_record_ record;
};

struct itrace_scopes_ {
	pthread_mutex_t lock; /* protects all other members */
	pthread_key_t key;    /* of a thread's table; its destructor is itrace_scope_thread_ends_ */
	int started;
	pid_t pid; /* of the process that ran the constructor; a forked child has another one */
	uint64_t longest;
	int64_t overhead_inside, overhead; /* as in struct itrace_scope_thread_ */
	struct itrace_scope_sum_ *sums;	   /* [n_sums] by id */
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

extern ITRACE_SHARED_VARIABLE_ struct itrace_scopes_ itrace_scopes_;
extern ITRACE_SHARED_VARIABLE_ struct itrace_scope_record_ itrace_scope_nowhere_;
extern ITRACE_SHARED_VARIABLE_ struct itrace_scope_thread_ itrace_scope_no_thread_;
ITRACE_SHARED_ size_t itrace_scope_name_(const struct itrace_scope_site_ *site, const char **name);
ITRACE_SHARED_ int itrace_scope_is_same_(const struct itrace_scope_sum_ *sum, const struct itrace_scope_site_ *site);
ITRACE_SHARED_ void itrace_scope_measure_(void);
ITRACE_SHARED_ int itrace_scope_register_(struct itrace_scope_site_ *site);
ITRACE_SHARED_ void *itrace_scope_allocate_(size_t n_bytes);
ITRACE_SHARED_ void itrace_scope_free_(void *memory);
ITRACE_SHARED_ int itrace_scope_grow_(struct itrace_scope_thread_ *thread);
ITRACE_SHARED_ void itrace_scope_exclude_(int64_t ticks);
ITRACE_SHARED_ void itrace_scope_start_(void);
ITRACE_SHARED_ void itrace_scope_merge_(const struct itrace_scope_thread_ *thread);
ITRACE_SHARED_ void itrace_scope_end_open_(struct itrace_scope_thread_ *thread);
ITRACE_SHARED_ void itrace_scope_thread_ends_(void *ended);
ITRACE_SHARED_ void itrace_scope_before_fork_(void);
ITRACE_SHARED_ void itrace_scope_after_fork_(void);
ITRACE_SHARED_ void itrace_scope_in_child_(void);
ITRACE_SHARED_ void itrace_scope_at_exit_(void); /* scopes_report.h */

/* Threads without memory for a table count in this record. Nothing reads it. */
struct itrace_scope_record_ itrace_scope_nowhere_;
struct itrace_scope_thread_ itrace_scope_no_thread_ = {
	&itrace_scope_nowhere_, 0, 0, UINT64_MAX, 0, 0, 0, 0, NULL, NULL};
__thread struct itrace_scope_thread_ *itrace_scope_thread_ = &itrace_scope_no_thread_;
struct itrace_scopes_ itrace_scopes_ = {PTHREAD_MUTEX_INITIALIZER, 0, 0, 0, 0, 0, 0, NULL, 0, 0, NULL};

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

/* Ends the open scopes of the calling thread. A scope that longjmp left stays on the list until a scope around it ends.
 * If other code has overwritten its frame, the seal is wrong, and the list ends there. */
ITRACE_SHARED_ void itrace_scope_end_open_(struct itrace_scope_thread_ *thread)
{
	uint64_t now = ITRACE_SCOPE_TICKS_();

	while (thread->innermost && thread->innermost->thread == thread &&
	       thread->innermost->seal == itrace_scope_seal_(thread->innermost) &&
	       thread->innermost->id < thread->n_records)
		itrace_scope_count_(thread->innermost, now);
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
	/* Destructors of other thread-specific data may enter scopes after this. */
	itrace_scope_thread_ = &itrace_scope_no_thread_;
	itrace_scope_free_(thread->records);
	itrace_scope_free_(thread);
}

ITRACE_SHARED_ void itrace_scope_before_fork_(void)
{
	pthread_mutex_lock(&itrace_scopes_.lock);
}

ITRACE_SHARED_ void itrace_scope_after_fork_(void)
{
	pthread_mutex_unlock(&itrace_scopes_.lock);
}

/* The parent's tables stay allocated. Scopes that are open across the fork count there when they end in the child.
 * Nothing reports these counts. */
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

ITRACE_SHARED_ void itrace_scope_exclude_(int64_t ticks)
{
	if (itrace_scope_thread_ != &itrace_scope_no_thread_)
		itrace_scope_thread_->lost += ticks;
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
	itrace_exclude_ = itrace_scope_exclude_;
	itrace_scopes_.started = 1;
}

/* Runs before main, so that no region and no scope contains the measurement. */
static __attribute__((constructor, unused)) void itrace_scope_load_(void)
{
	pthread_mutex_lock(&itrace_scopes_.lock);
	if (!itrace_scopes_.started)
		itrace_scope_start_();
	pthread_mutex_unlock(&itrace_scopes_.lock);
}

/* Finds a function's name with its class and namespace in its signature: "ns::S::m" in "int ns::S::m(char) const".
 * Returns the length of the name. gcc's signature of a lambda has no name, so the name is the whole signature. */
ITRACE_SHARED_ size_t itrace_scope_name_(const struct itrace_scope_site_ *site, const char **name)
{
	size_t n = strlen(site->name);
	const char *at = site->signature, *first;
	int depth;

	*name = site->name;
	if (!at || !*at)
		return n;
	while ((at = strstr(at, site->name)) && at[n] != '(' && at[n] != '<')
		at++;
	if (!at) {
		*name = site->signature;
		return strlen(site->signature);
	}
	/* Each qualifier ends in "::" and may have brackets with anything in them. */
	for (first = at; first - site->signature > 2 && first[-1] == ':' && first[-2] == ':';) {
		first -= 2;
		for (depth = 0; first > site->signature; first--) {
			if (strchr(")>}", first[-1]))
				depth++;
			else if (depth && strchr("(<{", first[-1]))
				depth--;
			else if (!depth && strchr(" *&:(", first[-1]))
				break;
		}
	}
	*name = first;
	return (size_t)(at - first) + n;
}

ITRACE_SHARED_ int itrace_scope_is_same_(const struct itrace_scope_sum_ *sum, const struct itrace_scope_site_ *site)
{
	const char *name;
	size_t n = itrace_scope_name_(site, &name);

	return sum->line == site->line && strncmp(sum->name, name, n) == 0 && !sum->name[n] &&
	       strcmp(sum->file, site->file) == 0;
}

/* Finds or adds the sum of a scope. Copies the texts, because the texts of a library disappear when it is unloaded.
 * Returns 0 if there is no memory. */
ITRACE_SHARED_ int itrace_scope_register_(struct itrace_scope_site_ *site)
{
	static const struct itrace_scope_record_ nothing = ITRACE_SCOPE_NOTHING_;
	struct itrace_scope_sum_ *sum, *sums;
	size_t name_bytes, file_bytes = strlen(site->file) + 1;
	const char *name;
	char *texts;
	uint32_t id;

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
	name_bytes = itrace_scope_name_(site, &name) + 1;
	texts = (char *)malloc(name_bytes + file_bytes);
	if (!texts)
		return 0;
	memcpy(texts, name, name_bytes - 1);
	texts[name_bytes - 1] = '\0';
	memcpy(texts + name_bytes, site->file, file_bytes);
	sum = &itrace_scopes_.sums[id];
	sum->name = texts;
	sum->file = texts + name_bytes;
	sum->line = site->line;
	sum->is_unnamed = site->signature != NULL;
	sum->record = nothing;
	itrace_scopes_.n_sums = id + 1;
	__atomic_store_n(&site->id, id, __ATOMIC_RELAXED);
	return 1;
}

/* Returns memory that shares no cache line with another allocation, or NULL. Free the result with
 * itrace_scope_free_. */
ITRACE_SHARED_ void *itrace_scope_allocate_(size_t n_bytes)
{
	char *memory = (char *)malloc(n_bytes + 2 * ITRACE_CACHE_LINE_BYTES_);

	return memory ? memory + ITRACE_CACHE_LINE_BYTES_ : NULL;
}

ITRACE_SHARED_ void itrace_scope_free_(void *memory)
{
	if (memory)
		free((char *)memory - ITRACE_CACHE_LINE_BYTES_);
}

/* Makes room in the thread's records for all known scopes. Returns 0 if there is no memory. */
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
		itrace_scope_free_(thread->records);
		thread->records = records;
		thread->capacity = itrace_scopes_.capacity;
	}
	while (thread->n_records < itrace_scopes_.n_sums)
		records[thread->n_records++] = nothing;
	return 1;
}

/* Excludes its own time from the open scopes. */
ITRACE_SHARED_ struct itrace_scope_thread_ *itrace_scope_prepare_(struct itrace_scope_site_ *site)
{
	struct itrace_scope_thread_ *thread = itrace_scope_thread_;
	uint64_t begin = ITRACE_SCOPE_TICKS_();
	int ok;

	pthread_mutex_lock(&itrace_scopes_.lock);
	if (!itrace_scopes_.started) /* An earlier constructor enters a scope. */
		itrace_scope_start_();
	ok = itrace_scope_register_(site);
	if (ok && thread == &itrace_scope_no_thread_) {
		thread = (struct itrace_scope_thread_ *)itrace_scope_allocate_(sizeof(*thread));
		ok = thread && pthread_setspecific(itrace_scopes_.key, thread) == 0;
		if (ok) {
			memset(thread, 0, sizeof(*thread));
			thread->longest = itrace_scopes_.longest;
			thread->overhead_inside = itrace_scopes_.overhead_inside;
			thread->overhead = itrace_scopes_.overhead;
			thread->next = itrace_scopes_.threads;
			itrace_scopes_.threads = thread;
			itrace_scope_thread_ = thread;
		} else {
			itrace_scope_free_(thread);
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
	frame->thread->lost += frame->thread->overhead;
}

#ifdef __cplusplus
}
#endif

#include <itrace/scopes_overhead.h>
#include <itrace/scopes_report.h>

#endif

#endif
