/* The translate backend of one process. Its struct contains the structs of the other files of translate/. Private to
 * translate/. */
#ifndef ITRACE_ENGINE_TRANSLATE_TRANSLATOR_H
#define ITRACE_ENGINE_TRANSLATE_TRANSLATOR_H

#include "engine/backend.h"
#include "engine/run.h"
#include "engine/translate/addresses.h"
#include "engine/translate/cache.h"
#include "engine/translate/consistency/code_changes.h"
#include "engine/translate/consistency/pages.h"
#include "engine/translate/fragments.h"
#include "engine/translate/link/link_tables.h"
#include "engine/translate/log/log_plan.h"
#include "engine/translate/traces/trace_state.h"

/* Assumptions of emit/ about the code emitted next. */
struct emitter {
	struct zone *zone;	/* the zone to which code is appended */
	struct thread *thread;	/* a stopped thread, for mapping new zones */
	bool r11_in_register;	/* R11 holds the program's value */
	bool r11_in_area;	/* AREA_R11 holds the program's R11; true if r11_in_register is false */
	bool r11_was_used;	/* recently emitted code of the program uses R11 */
	bool has_program_value; /* the stolen register holds the program's value (log/log.h) */
};

/* The data of log.c, log_shapes.c and emit/emit_log.c. */
struct log {
	bool is_wanted;
	struct log_shapes shapes;
	/* The instructions of each shape: the first ones of a fragment. */
	struct log_shape_source {
		uint32_t fragment;
		uint8_t n_insns, size; /* size: as in a record's head */
		uint32_t next;	       /* another shape of the fragment, or LOG_NO_SHAPE */
	} * sources;		       /* [n_sources] by shape */
	size_t n_sources, sources_capacity;
	uint8_t next_stolen;	/* the register to steal after the next flush */
	struct log_plan plan;	/* plan of the fragment that is emitted now */
	struct log_plan replay; /* plan of an earlier fragment, made again */

	/* For the fragment that is emitted now. */
	uint32_t head;	  /* of its records */
	size_t n_emitted; /* logged addresses so far */
};

struct translator {
	struct backend backend;
	struct engine *engine;
	bool wants_edges; /* transfers of control are counted (emit/emit_edges.h) */
	struct cache cache;
	struct pages pages;
	struct fragments fragments;
	struct addresses addresses;
	struct links links;
	struct ibl ibl;
	struct emitter emitter;
	struct log log;
	struct traces traces;
	struct stop_addresses stops;
	struct code_changes changes;
	struct map_files map_files;
	/* Indirect edges that were recorded once and have no counter. The key is a hash (contexts/dispatch.c). */
	struct va_map recorded_edges;

	bool is_full;		     /* a table or zone is full: flush before any further translation */
	bool is_outdated;	     /* better code is possible: flush when no other thread is in translated code */
	bool is_recalling;	     /* all threads were interrupted so that they leave translated code */
	const struct task *evicting; /* the task for which the cache is moved (consistency/give_way.h), or NULL */

	char *program; /* path of the executable when the cache was opened; or NULL (warm_start.h) */

	bool is_refused;   /* no memory can be mapped into this program at all */
	bool is_exhausted; /* no further memory can be mapped, and the user was told */
};

static inline struct translator *translator_of(struct backend *backend)
{
	return (struct translator *)(void *)((char *)backend - offsetof(struct translator, backend));
}

static inline struct fragment *translator_fragment(const struct translator *translator, uint32_t index)
{
	return &translator->fragments.fragments[index];
}

static inline uint32_t translator_fragment_index(const struct translator *translator, const struct fragment *fragment)
{
	return (uint32_t)(fragment - translator->fragments.fragments);
}

static inline struct counter *translator_counter(const struct translator *translator, uint32_t index)
{
	return &translator->fragments.counters[index];
}

static inline struct fragment_insn *translator_insns(const struct translator *translator,
						     const struct fragment *fragment)
{
	return &translator->fragments.insns[fragment->first_insn];
}

/* Returns the index of an instruction in profile->insns. The second function takes instruction `insn` of a fragment. */
static inline uint32_t translator_insn_index(struct translator *translator, struct fragment_insn *insn)
{
	if (insn->index == PROFILE_NONE)
		insn->index = code_index(&translator->engine->code, insn->va, &insn->insn);
	return insn->index;
}

static inline uint32_t translator_index_of(struct translator *translator, const struct fragment *fragment, size_t insn)
{
	return translator_insn_index(translator, &translator_insns(translator, fragment)[insn]);
}

/* Returns the fragment for va that new branches lead to, or NULL. If it is suspended, its entry is an exit stub. */
static inline struct fragment *translator_newest_fragment(const struct translator *translator, uint64_t va)
{
	const struct address *address = addresses_find(&translator->addresses, va);
	struct fragment *fragment;

	if (!address || address->fragment == VA_MAP_NONE)
		return NULL;
	fragment = translator_fragment(translator, address->fragment);
	return fragment->is_retired ? NULL : fragment;
}

/* Returns the fragment for va if it may be entered, else NULL. */
static inline struct fragment *translator_find_fragment(const struct translator *translator, uint64_t va)
{
	struct fragment *fragment = translator_newest_fragment(translator, va);

	return fragment && fragment->n_suspended ? NULL : fragment;
}

/* Returns a pointer to a counter of a thread. */
static inline uint64_t *counter_word(const struct task *task, uint32_t counter)
{
	return area_word(task->area, AREA_COUNTERS + (uint64_t)counter * 8);
}

#endif
