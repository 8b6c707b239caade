/* Ranges of addresses that nest, arranged so that the innermost one at an address is found in a few steps. */
#ifndef ITRACE_SOURCE_SPANS_H
#define ITRACE_SOURCE_SPANS_H

#include <stddef.h>
#include <stdint.h>

#define SPAN_NONE UINT32_MAX

struct span {
	uint64_t start_va, end_va; /* one past the last byte */
	uint32_t id;		   /* what it belongs to */
	uint32_t depth;		   /* of several that begin at one address, the deeper one is inside */
};

struct span_part { /* up to the next part */
	uint64_t start_va;
	uint32_t id; /* or SPAN_NONE */
};

/* Fill with spans_add, then arrange; it may then only be searched. */
struct spans {
	struct span *spans;
	size_t n_spans, spans_capacity;
	struct span_part *parts; /* ascending */
	size_t n_parts, parts_capacity;
};

void spans_add(struct spans *spans, uint64_t start_va, uint64_t end_va, uint32_t id, uint32_t depth);
void spans_arrange(struct spans *spans);
void spans_deinit(struct spans *spans);

/* The id of the innermost span that holds the address, or SPAN_NONE. */
uint32_t spans_find(const struct spans *spans, uint64_t va);

#endif
