/* The tables of translated code: fragments (translated blocks and traces), their instructions and counters, exit
 * stubs, and the state map. The state map says for each address of the cache how to recreate the program's state
 * there. */
#ifndef ITRACE_ENGINE_TRANSLATE_FRAGMENTS_H
#define ITRACE_ENGINE_TRANSLATE_FRAGMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/va_map.h"
#include "decode/effects.h"
#include "engine/translate/cache.h"
#include "profile/profile.h"

enum { FRAGMENT_INSNS_MAX = 96 };

#define COUNTER_NONE UINT32_MAX
#define SITE_NONE UINT32_MAX
#define LOG_NO_SHAPE UINT32_MAX

/* The state of a thread at an address of the cache. `insn` is the instruction to which the code at the address
 * belongs. */
enum state_kind {
	STATE_CLEAN,	      /* insn executes next; all registers are the program's, except possibly R11 */
	STATE_REP,	      /* as STATE_CLEAN; RCX further iterations are counted already but not yet executed */
	STATE_RCX_IN_AREA,    /* insn executes next; the program's RCX is in the area */
	STATE_SYSCALL_NUMBER, /* as STATE_RCX_IN_AREA; the call was counted by its number */
	STATE_SYSCALL_SITE,   /* as STATE_SYSCALL_NUMBER; the execution of the instruction was counted, too */
	STATE_SYSCALL_DONE,   /* insn was executed; RCX must still become the address of the next instruction */
	/* Inside inserted code, which never faults. The thread must continue to the next code with another state. */
	STATE_INTERNAL,
};

struct state_map_entry {
	uint16_t offset;	    /* offset from the fragment's entry_va; the entry applies up to the next entry */
	uint8_t insn;		    /* index in the fragment; n_insns: all instructions are executed */
	uint8_t kind : 6;	    /* enum state_kind */
	bool r11_in_area : 1;	    /* the program's R11 is in the area, not in the register */
	bool has_program_value : 1; /* the stolen register holds the program's value, not the log pointer (log/log.h) */
};

enum counter_kind {
	COUNTER_FRAGMENT,      /* entries of a fragment */
	COUNTER_REP,	       /* sum of RCX before executions of insn, a REP string instruction */
	COUNTER_REP_AFTER,     /* as COUNTER_REP, but sum of RCX after them */
	COUNTER_BRANCH,	       /* one direction of the conditional branch that ends a fragment */
	COUNTER_INDIRECT_EDGE, /* transfers by insn, an indirect branch, to one fragment */
	COUNTER_SIDE_EXIT,     /* executions that left a trace at insn, a transfer in the middle of the trace */
	COUNTER_LAST_TARGET,   /* not a count: the latest target of insn, an indirect branch (traces/predictions.h) */
};

struct counter {
	enum counter_kind kind;
	uint32_t fragment;
	uint8_t insn;
	uint32_t to; /* COUNTER_INDIRECT_EDGE: fragment */
	/* If edges are counted: the lookup site (link/ibl.h) of the indirect branch that ends the fragment
	 * (COUNTER_FRAGMENT) or leaves it (COUNTER_SIDE_EXIT), else SITE_NONE. */
	uint32_t site;
};

struct fragment_insn {
	uint64_t va;
	struct insn insn;
	uint32_t index; /* in profile->insns; PROFILE_NONE until the instruction is first counted */
};

static inline uint64_t fragment_insn_next_va(const struct fragment_insn *insn)
{
	return insn->va + insn->insn.length;
}

/* Returns the target of a direct transfer of control. */
static inline uint64_t fragment_insn_target_va(const struct fragment_insn *insn)
{
	return fragment_insn_next_va(insn) + (uint64_t)insn->insn.displacement;
}

/* A translated basic block or trace, with its instructions in order of execution. A fragment with n_insns 0 is
 * inserted code that leads to va. At entry_va all registers are the program's. R11 is in the area unless
 * liveness_r11_in_register_at(va). An INT3 may replace the first byte there at any time. */
struct fragment {
	uint64_t va,
		end_va;	   /* addresses of the program; end_va: address after the instructions if no branch is taken */
	uint64_t entry_va; /* in the cache */
	uint64_t counted_va; /* in the cache: from this address on, the fragment's counter includes this execution */
	uint64_t record_begin_va;     /* in the cache: from this address on, this execution's log record is begun */
	uint64_t record_end_va;	      /* in the cache: from this address on, that record is complete */
	uint32_t counter;	      /* its COUNTER_FRAGMENT; its other counters follow, in order of instructions */
	uint32_t n_counters;	      /* including its COUNTER_FRAGMENT */
	uint32_t first_insn, n_insns; /* in fragments->insns */
	uint32_t first_shape;	      /* of its log records, or LOG_NO_SHAPE */
	uint32_t first_state;	      /* in fragments->state_map */
	uint32_t branch_counter;      /* COUNTER_BRANCH, or COUNTER_NONE */
	bool is_taken_counted;	      /* branch_counter counts the taken direction, else the other one */
	bool falls_through;	      /* control reaches the next fragment without a jump */
	bool is_retired;     /* no thread may enter the fragment any more; threads inside continue to its end */
	uint8_t n_suspended; /* number of suspended pages with its code; threads may enter only if this is 0 */
	uint8_t entry_byte;  /* original byte at entry_va, while an INT3 replaces it */
};

/* An exit stub is an INT3 at which translated code returns to itrace. */
enum exit_stub_kind {
	EXIT_LINK,	/* the code at va has no usable translation */
	EXIT_INDIRECT,	/* the target of an indirect branch is not in the lookup table: app_state_exit_target() */
	EXIT_STEP,	/* the instruction at va must be stepped once */
	EXIT_MOVES_RSP, /* as EXIT_STEP; a visit or a signal handler may end with the instruction */
};

struct exit_stub {
	enum exit_stub_kind kind;
	uint64_t va;	  /* next address of the program; EXIT_INDIRECT: an enum site_kind instead */
	bool r11_in_area; /* the program's R11 is in the area */
};

/* Eight bytes of code or data in the cache that hold an address. If the program or the cache lies elsewhere in another
 * process, these bytes differ there (warm_start.h). */
struct absolute {
	uint64_t at_va; /* of the bytes, in the cache */
	enum absolute_kind { ABSOLUTE_PROGRAM_VA, ABSOLUTE_NEGATIVE_VA, ABSOLUTE_CACHE_VA } kind;
};

struct fragments {
	struct fragment *fragments; /* ordered by entry_va within each zone */
	size_t n_fragments, fragments_capacity;
	struct fragment_insn *insns;
	size_t n_insns, insns_capacity;
	struct state_map_entry *state_map;
	size_t n_state_map, state_map_capacity;
	struct counter *counters; /* [n_counters], in the order of the area's counters */
	size_t n_counters, counters_capacity;
	uint32_t *target_counters; /* [n_target_counters] indices of the counters of kind COUNTER_LAST_TARGET */
	size_t n_target_counters, target_counters_capacity;
	struct exit_stub *exit_stubs;
	size_t n_exit_stubs, exit_stubs_capacity;
	struct absolute *absolutes;
	size_t n_absolutes, absolutes_capacity;
	struct va_map exit_stub_at; /* address in the cache: index in exit_stubs */
	struct zone_fragments {
		uint32_t *list; /* [n_list] indices in fragments, in order of entry_va */
		size_t n_list, list_capacity;
	} zones[ZONES_MAX];
};

/* An address of the cache. */
struct cache_location {
	const struct fragment *fragment;
	const struct state_map_entry *state;
	const struct exit_stub *stub; /* the exit stub whose INT3 is at the address; NULL: none */
};

void fragments_deinit(struct fragments *fragments);
void fragments_clear(struct fragments *fragments);

/* Adds a fragment whose code begins at entry_va of a zone. The pointer is valid until another fragment is added. */
struct fragment *fragments_add(struct fragments *fragments, size_t zone, uint64_t entry_va, uint64_t va);

/* Sets the state from cache_va on, in the fragment added last. Replaces an entry for the same address. */
void fragments_add_state(struct fragments *fragments, uint64_t cache_va, struct state_map_entry state);

void fragments_add_exit_stub(struct fragments *fragments, uint64_t cache_va, struct exit_stub stub);
uint32_t fragments_add_counter(struct fragments *fragments, enum counter_kind kind, uint32_t fragment, size_t insn);

/* Returns false if cache_va is not in a fragment's code. Sets location->stub in any case. */
bool fragments_locate(const struct fragments *fragments, struct cache *cache, uint64_t cache_va,
		      struct cache_location *location);

/* Returns the instruction by which control left a fragment. `counter` is the counter in AREA_LAST_EXIT. */
static inline size_t fragments_exit_insn(const struct fragments *fragments, const struct counter *counter)
{
	return counter->kind == COUNTER_SIDE_EXIT ? counter->insn : fragments->fragments[counter->fragment].n_insns - 1;
}

/* The values of all counters of one instruction. */
struct insn_counters {
	uint64_t n_side_exits, n_branch, iterations;
};

/* Reads the counters of instruction `insn` of a fragment. values[fragment->n_counters] are the values of the
 * fragment's counters. *at is the index of the next counter to read. The caller calls this for each instruction in
 * order, and sets *at to 1 before the first. */
struct insn_counters fragments_read_counters(const struct fragments *fragments, const struct fragment *fragment,
					     const uint64_t *values, size_t insn, size_t *at);

static inline bool flow_is_indirect(enum insn_flow flow)
{
	return flow == FLOW_RETURN || flow == FLOW_JUMP_INDIRECT || flow == FLOW_CALL_INDIRECT;
}

static inline bool flow_is_call(enum insn_flow flow)
{
	return flow == FLOW_CALL || flow == FLOW_CALL_INDIRECT;
}

#endif
