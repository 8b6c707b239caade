/* Times scopes of a program, and counts how often it passes them:
 *
 *	void sort(struct item *items, size_t n)
 *	{
 *		PA_SCOPE();			 named after the function
 *		...
 *		for (...) {
 *			PA_SCOPE("merge");	 any block
 *			...
 *		}
 *	}
 *
 * Compile as always; there is nothing to call and nothing to link but libc. When the program ends by exit() or by
 * returning from main, it writes a table to stderr, the longest self time first:
 *
 *	calls			how often control left the scope: by return, break, goto, a C++ exception or at its end
 *	total			time inside; recursive calls count only as part of the outermost call
 *	self			total without the scopes inside
 *	mean, min, max		of single calls
 *
 * Open scopes of a thread end when the thread calls exit(). PA_SCOPE_REPORT in the environment: "json" or "csv" selects
 * that format on stderr; a file name that ends in .json or .csv selects the file and the format; "off" disables the
 * report. A forked child reports only scopes that it entered itself. With a file, it writes to FILE.PID.
 *
 * Cost: a scope takes as long as reading the time-stamp counter twice: 17 ns on a Zen 5 in a virtual machine, 12 ns if
 * the scope contains work. The cost is measured before main, in some 0.1 ms, and subtracted. The readings overlap with
 * the work inside, to an extent that depends on the work, so a single call is exact to some 10 ns (figures:
 * tests/bench/README.md). All times are wall time, which includes the kernel and other programs. They exclude the
 * initialization of timestamp.h and counters.h.
 *
 * Each thread has its own counts. They are added to the sums when the thread or the program ends. Copies of a scope, as
 * in an inline function or a template, count as one scope if they have the same name, line and file. An interval is
 * left out and counted as an error if the clock ran backwards or if the interval is longer than PA_SCOPE_LONGEST_S.
 *
 * Not for signal handlers, C++ coroutines that move to other threads, constexpr functions and C's inline functions
 * without static. A scope that pthread_exit leaves (in C) does not count. A scope that longjmp leaves does not count if
 * a scope around it ends before the program. Abnormal ends (abort, _exit, exec, signals) give no report. With glibc
 * before 2.34 link with -pthread. -DPA_DISABLE removes the scopes.
 *
 * Programs of many C files: this header compiles to 9 KB of code in each object. With -DITRACE_EXTERN the header only
 * declares that code. The one file that defines ITRACE_IMPLEMENTATION before it includes the header has the code (see
 * ticks.h).
 *
 * Each scope is also a region for `itrace --scopes`; see markers.h on notes and names. The region of a scope without a
 * name is called "FILE:LINE". Reports of this header show "FILE:LINE (FUNCTION)" for such a scope, else "NAME
 * (FILE:LINE)".
 */
#ifndef ITRACE_SCOPES_H
#define ITRACE_SCOPES_H

#include <itrace/markers.h>

#define ITRACE_SCOPES_VERSION 1 /* of this interface; rises when it changes */

#ifdef PA_DISABLE

#define PA_SCOPE(...) ((void)sizeof("" __VA_ARGS__ ""))

#else

#include <stddef.h>

#include <itrace/ticks.h>

#define PA_SCOPE(...) /* the name must be one string literal; at most one scope in a line of a block */ \
	ITRACE_THIRD_(ITRACE_TWO_ __VA_ARGS__(), ITRACE_UNNAMED_SCOPE_, ITRACE_NAMED_SCOPE_, ~)(__VA_ARGS__)

/* Must have the same value in all files of a program. */
#ifndef PA_SCOPE_LONGEST_S
#define PA_SCOPE_LONGEST_S 3600
#endif

/* A test may define a simulated clock before it includes this header. */
#ifndef ITRACE_SCOPE_TICKS_
#define ITRACE_SCOPE_TICKS_() itrace_ticks_()
#endif

#ifdef __cplusplus
#define ITRACE_SIGNATURE_ __PRETTY_FUNCTION__
#else
#define ITRACE_SIGNATURE_ ""
#endif

#define ITRACE_UNNAMED_SCOPE_(empty)                      \
	ITRACE_SCOPE_(empty, __func__, ITRACE_SIGNATURE_, \
		      ITRACE_QUOTED_(__FILE__) "\n\t.ascii \":" ITRACE_QUOTED_(__LINE__) "\"")
#define ITRACE_NAMED_SCOPE_(name) ITRACE_SCOPE_(name, "" name, NULL, #name)
#define ITRACE_QUOTED_(text) ITRACE_QUOTED_EXPANDED_(text)
#define ITRACE_QUOTED_EXPANDED_(text) #text

/* The user's code runs between the probes. Of two nested scopes in one line, the inner one shadows the variables of the
 * outer one, which does no harm. */
#define ITRACE_SCOPE_(literal, name, signature, probe_name)                                                           \
	_Pragma("GCC diagnostic push")                                                                                \
		_Pragma("GCC diagnostic ignored \"-Wshadow\"") static struct itrace_scope_site_ ITRACE_JOIN_(         \
			itrace_site_, __LINE__) = {name, signature, __FILE__, __LINE__, ITRACE_SCOPE_NO_ID_};         \
	__attribute__((cleanup(itrace_scope_end_))) struct itrace_scope_frame_ ITRACE_JOIN_(itrace_frame_, __LINE__); \
	__attribute__((unused)) int ITRACE_JOIN_(itrace_begun_, __LINE__) = __extension__({                           \
		_Pragma("GCC diagnostic pop") itrace_scope_begin_(&ITRACE_JOIN_(itrace_frame_, __LINE__),             \
								  &ITRACE_JOIN_(itrace_site_, __LINE__));             \
		ITRACE_PROBE_(ITRACE_ONE_STRING_LITERAL_(literal), "itrace_scope",                                    \
			      "\"begin__\"\n\t.ascii " probe_name);                                                   \
		0;                                                                                                    \
	})

#define ITRACE_SCOPE_NO_ID_ UINT32_MAX

struct itrace_scope_site_ {
	const char *name;
	const char *signature; /* NULL: `name` is the user's; else signature of the function, "" in C */
	const char *file;
	uint32_t line;
	uint32_t id; /* index in itrace_scopes_.sums and in the records of each thread */
};

/* The counts of one scope, in one thread or in all. Times are in ticks, with the overhead subtracted. */
struct itrace_scope_record_ {
	uint64_t calls;
	int64_t sum;   /* of all calls, including recursive ones */
	int64_t total; /* without recursive calls: they are part of the outermost call */
	int64_t self, min, max;
	uint64_t backwards, overlong; /* errors */
};

struct itrace_scope_thread_ {
	struct itrace_scope_record_ *records; /* [n_records] by id */
	uint32_t n_records, capacity;
	uint64_t longest;
	int64_t overhead_inside;	       /* ticks of a PA_SCOPE between its two readings of the clock */
	int64_t overhead;		       /* ticks of a whole PA_SCOPE */
	int64_t lost;			       /* ticks spent in PA_SCOPE since the thread began */
	int64_t children;		       /* ticks of scopes that ended inside the innermost open scope */
	struct itrace_scope_frame_ *innermost; /* the innermost open scope, or NULL */
	struct itrace_scope_thread_ *next;
};

/* An open scope, on the stack. The end of a scope restores the thread's values from the start of the scope. Therefore a
 * scope that longjmp leaves falsifies only the self time of the scopes around it. */
struct itrace_scope_frame_ {
	struct itrace_scope_thread_ *thread;
	struct itrace_scope_frame_ *outer;
	/* itrace_scope_seal_(); wrong at exit() if longjmp left the scope and the frame was overwritten */
	uintptr_t seal;
	uint32_t id;
	uint64_t begin;
	int64_t lost, children, total;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Never NULL: at first it points to a table without records. */
extern ITRACE_SHARED_VARIABLE_
	__attribute__((tls_model("initial-exec"))) __thread struct itrace_scope_thread_ *itrace_scope_thread_;

/* The slow path for a scope that the program, or this thread, enters for the first time. Returns the thread's table
 * with room for the scope, or a table without records if there is no memory. */
ITRACE_SHARED_ struct itrace_scope_thread_ *itrace_scope_prepare_(struct itrace_scope_site_ *site);

/* Counts an interval that is negative or too long. */
ITRACE_SHARED_ void itrace_scope_error_(struct itrace_scope_frame_ *frame, uint64_t interval);

/* Other threads read records when the program ends. */
#ifdef __LP64__
#define ITRACE_SCOPE_STORE_(place, value) __atomic_store_n(&(place), (value), __ATOMIC_RELAXED)
#define ITRACE_SCOPE_LOAD_(place) __atomic_load_n(&(place), __ATOMIC_RELAXED)
#else
#define ITRACE_SCOPE_STORE_(place, value) ((void)((place) = (value)))
#define ITRACE_SCOPE_LOAD_(place) (place)
#endif

ITRACE_INLINE_ uintptr_t itrace_scope_seal_(const struct itrace_scope_frame_ *frame)
{
	return ~((uintptr_t)frame->thread ^ (uintptr_t)frame->outer ^ (uintptr_t)frame);
}

ITRACE_INLINE_ void itrace_scope_begin_(struct itrace_scope_frame_ *frame, struct itrace_scope_site_ *site)
{
	struct itrace_scope_thread_ *thread = itrace_scope_thread_;
	uint32_t id = __atomic_load_n(&site->id, __ATOMIC_RELAXED);

	if (__builtin_expect(id >= thread->n_records, 0)) {
		thread = itrace_scope_prepare_(site);
		id = thread->n_records ? __atomic_load_n(&site->id, __ATOMIC_RELAXED) : 0;
	}
	frame->thread = thread;
	frame->outer = thread->innermost;
	frame->seal = itrace_scope_seal_(frame);
	thread->innermost = frame;
	frame->id = id;
	frame->total = thread->records[id].total;
	frame->children = thread->children;
	thread->children = 0;
	frame->lost = thread->lost;
	frame->begin = ITRACE_SCOPE_TICKS_();
}

ITRACE_INLINE_ void itrace_scope_count_(struct itrace_scope_frame_ *frame, uint64_t end)
{
	struct itrace_scope_thread_ *thread = frame->thread;
	struct itrace_scope_record_ *record = &thread->records[frame->id];
	uint64_t interval = end - frame->begin; /* huge if the clock ran backwards */
	int64_t elapsed = (int64_t)interval - (thread->lost - frame->lost) - thread->overhead_inside;

	thread->innermost = frame->outer;
	if (__builtin_expect(interval > thread->longest, 0)) {
		itrace_scope_error_(frame, interval);
		return;
	}
	ITRACE_SCOPE_STORE_(record->calls, record->calls + 1);
	ITRACE_SCOPE_STORE_(record->sum, record->sum + elapsed);
	ITRACE_SCOPE_STORE_(record->total, frame->total + elapsed);
	ITRACE_SCOPE_STORE_(record->self, record->self + elapsed - thread->children);
	if (elapsed < record->min)
		ITRACE_SCOPE_STORE_(record->min, elapsed);
	if (elapsed > record->max)
		ITRACE_SCOPE_STORE_(record->max, elapsed);
	thread->children = frame->children + elapsed;
	thread->lost += thread->overhead;
}

ITRACE_INLINE_ void itrace_scope_end_(struct itrace_scope_frame_ *frame)
{
	ITRACE_PROBE_((void)0, "itrace_scope", "\"end\"");
	itrace_scope_count_(frame, ITRACE_SCOPE_TICKS_());
}

#ifdef __cplusplus
}
#endif

#if ITRACE_DEFINES_
#include <itrace/scopes_table.h>
#endif

#endif

#endif
