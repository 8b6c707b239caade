#include "source/spans.h"

#include <stdlib.h>

#include "base/array.h"

void spans_add(struct spans *spans, uint64_t start_va, uint64_t end_va, uint32_t id, uint32_t depth)
{
	if (start_va < end_va)
		*ARRAY_ADD(spans, spans) = (struct span){start_va, end_va, id, depth};
}

static int compare_spans(const void *left, const void *right)
{
	const struct span *a = left, *b = right;

	if (a->start_va != b->start_va)
		return a->start_va < b->start_va ? -1 : 1;
	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	if (a->end_va != b->end_va)
		return a->end_va > b->end_va ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static void begin_part(struct spans *spans, uint64_t start_va, uint32_t id)
{
	if (spans->n_parts > 0 && spans->parts[spans->n_parts - 1].start_va == start_va)
		spans->n_parts--;
	*ARRAY_ADD(spans, parts) = (struct span_part){start_va, id};
}

/* Those that the sweep is in, the innermost on top: where it ends, the one below goes on, if it reaches so far. */
struct sweep {
	struct spans *spans;
	const struct span **stack; /* [n_spans] */
	size_t depth;
};

static void leave_until(struct sweep *sweep, uint64_t va)
{
	while (sweep->depth > 0 && sweep->stack[sweep->depth - 1]->end_va <= va) {
		uint64_t end_va = sweep->stack[--sweep->depth]->end_va;

		while (sweep->depth > 0 && sweep->stack[sweep->depth - 1]->end_va <= end_va)
			sweep->depth--;
		begin_part(sweep->spans, end_va, sweep->depth > 0 ? sweep->stack[sweep->depth - 1]->id : SPAN_NONE);
	}
}

void spans_arrange(struct spans *spans)
{
	struct sweep sweep = {.spans = spans, .stack = xcalloc(spans->n_spans, sizeof(*sweep.stack))};

	if (spans->n_spans > 0)
		qsort(spans->spans, spans->n_spans, sizeof(*spans->spans), compare_spans);
	for (size_t i = 0; i < spans->n_spans; i++) {
		leave_until(&sweep, spans->spans[i].start_va);
		begin_part(spans, spans->spans[i].start_va, spans->spans[i].id);
		sweep.stack[sweep.depth++] = &spans->spans[i];
	}
	leave_until(&sweep, UINT64_MAX);
	free(sweep.stack);
	free(spans->spans);
	spans->spans = NULL;
	spans->n_spans = spans->spans_capacity = 0;
}

void spans_deinit(struct spans *spans)
{
	free(spans->spans);
	free(spans->parts);
	*spans = (struct spans){0};
}

uint32_t spans_find(const struct spans *spans, uint64_t va)
{
	size_t after = ARRAY_SEARCH(spans->n_parts, i, spans->parts[i].start_va < va);

	if (after < spans->n_parts && spans->parts[after].start_va == va)
		return spans->parts[after].id;
	return after > 0 ? spans->parts[after - 1].id : SPAN_NONE;
}
