/* Measures what a scope of scopes.h costs. Not for direct use. */
#ifndef ITRACE_SCOPES_OVERHEAD_H
#define ITRACE_SCOPES_OVERHEAD_H

#include <itrace/scopes_table.h>

#if !defined(PA_DISABLE) && ITRACE_DEFINES_

/* Few, because the program may be single-stepped from its start. */
#define ITRACE_SCOPE_BATCHES_ 25
#define ITRACE_SCOPE_BATCH_CALLS_ 10

/* Each step depends on the previous one, and the branches of a short loop are predicted well. Therefore the 80 steps of
 * itrace_scope_work_ take some 50 ns on any CPU. */
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

/* Measures overhead_inside and overhead of a scope that contains work. The readings of the clock overlap with that
 * work, so an empty scope would cost more. */
ITRACE_SHARED_ void itrace_scope_measure_(void)
{
	static struct itrace_scope_site_ site = {"", NULL, "", 0, 0};
	struct itrace_scope_thread_ *former = itrace_scope_thread_;
	struct itrace_scope_record_ record = {0, 0, 0, 0, 0, 0, 0, 0};
	struct itrace_scope_thread_ thread = {&record, 1, 0, UINT64_MAX, 0, 0, 0, 0, NULL, NULL};
	int64_t inside[ITRACE_SCOPE_BATCHES_], whole[ITRACE_SCOPE_BATCHES_];
	const unsigned n_batches = ITRACE_SCOPE_BATCHES_;
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
		whole[i] = (int64_t)(end - middle) - (int64_t)(middle - begin);
	}
	itrace_scope_thread_ = former;
	itrace_scopes_.overhead_inside =
		itrace_scope_rounded_(itrace_trimmed_mean_(inside, n_batches, n_batches / 4) / (double)n);
	itrace_scopes_.overhead =
		itrace_scope_rounded_(itrace_trimmed_mean_(whole, n_batches, n_batches / 4) / (double)n);
}

#endif

#endif
