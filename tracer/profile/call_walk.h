/* Which instructions one context of a call tree executed, and how often (FORMAT.md, "Call trees"). Writing and reading share it.
 * Private to profile/. */
#ifndef ITRACE_PROFILE_CALL_WALK_H
#define ITRACE_PROFILE_CALL_WALK_H

#include "profile/code_fields.h"
#include "profile/format.h"

/* What of a context is executed as often as control must have come there, so that nothing is told of it. */
enum certainty {
	CERTAIN_NOTHING,
	CERTAIN_NEXT, /* what lies behind instructions that do not jump, and calls */
	CERTAIN_ALL,  /* all where that is known: there are no loops */
};

/* What is known of an instruction in all contexts, and in the one at hand: the latter if `walk` is the number of the latest one. */
struct call_place {
	enum code_transfer transfer;
	uint32_t target; /* PROFILE_NONE: none */
	uint32_t first_edge, n_edges;
	bool follows;	     /* it lies directly behind the one before */
	uint64_t left;	     /* executions that no context had so far */
	uint8_t history;     /* told the last four times, two bits each */
	uint64_t n_children; /* the last time */
	uint64_t walk;
	bool is_done;
	uint64_t low, high, executions;
	uint64_t wanted; /* executions, when writing; 0 outside of the context at hand */
};

struct call_walk {
	const struct bytes_io *io;
	const struct format_calls *calls;
	struct call_place *places; /* [n_insns] */
	uint32_t *visited;	   /* [n_visited] what the latest context executed, in the order of the walk */
	size_t n_visited, visited_capacity;
	enum certainty certainty; /* a dry walk lowers it to what is true */
	/* private */
	uint32_t *heap; /* [n_heap] instructions that control may come to, the lowest one first */
	size_t n_heap, heap_capacity;
	uint64_t number; /* of walks */
	bool is_dry;
};

void call_walk_init(struct call_walk *walk, const struct bytes_io *io, const struct format_calls *calls);
void call_walk_deinit(struct call_walk *walk);

/* Visits what a context executes: what control comes to from its entry, and from `extra` ones. Dry, nothing is told: it is only
 * to learn, when writing, what is visited. */
void call_walk_run(struct call_walk *walk, const struct profile_context *context, const uint32_t *extra, size_t n_extra,
		   bool is_dry);

/* Whether the latest walk came to an instruction. */
bool call_walk_has_visited(const struct call_walk *walk, uint32_t insn);

#endif
