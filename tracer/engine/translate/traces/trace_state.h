/* The data of the files in traces/. */
#ifndef ITRACE_ENGINE_TRANSLATE_TRACES_TRACE_STATE_H
#define ITRACE_ENGINE_TRANSLATE_TRACES_TRACE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/va_map.h"

/* The observed targets of an indirect branch. */
struct prediction {
	uint64_t target_va;	      /* the most frequent target if edges are counted, else the first one seen */
	uint64_t n_expected, n_other; /* observations of target_va, and of other targets */
	bool is_unpredictable;	      /* no trace continues at target_va */
};

struct predictions {
	struct va_map at; /* address of the branch: index in list */
	struct prediction *list;
	size_t n_list, list_capacity;
	unsigned sampled_tick; /* tick of the last predictions_sample() */
};

/* The next time to make traces. Times are in ticks of target/ticks.h; with trace_plan.traces_seed they are in stops
 * of the program. */
struct schedule {
	unsigned begin_tick, n_ticks_wanted; /* n_ticks_wanted 0: not begun */
	unsigned n_stops;		     /* stops of the program at exit stubs */
	unsigned start_tick;		     /* tick in which is_starting was computed */
	uint64_t n_translated;		     /* instructions translated before start_tick */
	bool is_starting;		     /* during the tick before start_tick much new code was translated */
	bool phase_changed;		     /* much of the code that executes now was not hot when traces were made */
	unsigned phase_tick;		     /* tick in which phase_changed was last computed */
	uint64_t n_entries, n_cold;	     /* entries of fragments in the counters at phase_tick: all, and cold */
	uint64_t n_collected;		     /* entries that have left the counters since traces were made */
};

struct traces {
	struct va_map exec_counts; /* address of code: executions; says where traces may begin or continue; saturates */
	struct va_map branch_exec_counts; /* address of a transfer of control: executions; saturates */
	struct predictions predictions;
	struct schedule schedule;
	uint32_t n_flushes;
};

#endif
