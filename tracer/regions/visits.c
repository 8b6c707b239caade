#include "regions/visits.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void visits_deinit(struct visits *visits)
{
	for (size_t i = 0; i < visits->n_visits; i++)
		free(visits->visits[i].nested);
	free(visits->visits);
	*visits = (struct visits){0};
}

static struct visit *find(struct visits *visits, uint32_t region)
{
	for (size_t i = 0; i < visits->n_visits; i++)
		if (visits->visits[i].region == region)
			return &visits->visits[i];
	return NULL;
}

/* Returns true if the frame that reached a begin no longer exists when the thread reaches another marker. The stack
 * grows downwards. Stack pointers at different handler depths are not compared, because a handler may run on its own
 * stack. With at_begin, the other marker is a begin of the same region; if the same frame reached both, the first
 * begin had no end, so that its frame counts as gone. */
static bool frame_is_gone(struct visit_begin begin, struct visit_begin other, bool at_begin)
{
	if (begin.handler_depth != other.handler_depth)
		return begin.handler_depth > other.handler_depth;
	return at_begin ? begin.rsp <= other.rsp : begin.rsp < other.rsp;
}

/* Drops the nested begins whose frames are gone: they were left without an end. */
static void drop_gone(struct visit *visit, struct visit_begin other, bool at_begin)
{
	while (visit->n_nested && frame_is_gone(visit->nested[visit->n_nested - 1], other, at_begin))
		visit->n_nested--;
}

static bool ends_at_marker(enum visit_end end)
{
	return end == VISIT_ENDS_AT_MARKER || end == VISIT_ENDS_WITH_SCOPE;
}

enum visit_change visits_begin(struct visits *visits, uint32_t region, enum visit_end end, struct visit_begin begin,
			       uint64_t now_ns, uint64_t *former_ns)
{
	struct visit *visit = find(visits, region);

	if (!visit) {
		*ARRAY_ADD(visits,
			   visits) = (struct visit){.region = region, .end = end, .begin = begin, .begin_ns = now_ns};
		return VISIT_BEGUN;
	}
	drop_gone(visit, begin, true);
	if (!visit->n_nested && frame_is_gone(visit->begin, begin, true) && ends_at_marker(end)) {
		*former_ns = visit->begin_ns;
		visit->begin = begin;
		visit->begin_ns = now_ns;
		return VISIT_BEGUN_ANEW;
	}
	if (ends_at_marker(end))
		*ARRAY_ADD(visit, nested) = begin;
	return VISIT_DEEPER;
}

enum visit_change visits_end(struct visits *visits, uint32_t region, uint64_t rsp, unsigned handler_depth,
			     uint64_t *begin_ns)
{
	struct visit *visit = find(visits, region);

	if (!visit)
		return VISIT_UNMATCHED;
	drop_gone(visit, (struct visit_begin){rsp, handler_depth}, false);
	if (visit->n_nested) {
		visit->n_nested--;
		return VISIT_SHALLOWER;
	}
	*begin_ns = visit->begin_ns;
	visits_remove(visits, (size_t)(visit - visits->visits));
	return VISIT_ENDED;
}

/* The deepest begin whose frame still exists. In one frame, scopes nest in the order of their begins. */
bool visits_innermost_scope(const struct visits *visits, uint64_t rsp, unsigned handler_depth, uint32_t *region)
{
	const struct visit_begin end = {rsp, handler_depth}, *innermost = NULL;

	for (size_t i = 0; i < visits->n_visits; i++) {
		const struct visit *visit = &visits->visits[i];

		if (visit->end != VISIT_ENDS_WITH_SCOPE)
			continue;
		for (size_t j = 0; j <= visit->n_nested; j++) {
			const struct visit_begin *begin = j ? &visit->nested[j - 1] : &visit->begin;

			if (frame_is_gone(*begin, end, false) ||
			    (innermost && frame_is_gone(*innermost, *begin, false)))
				continue;
			innermost = begin;
			*region = visit->region;
		}
	}
	return innermost;
}

void visits_remove(struct visits *visits, size_t i)
{
	free(visits->visits[i].nested);
	memmove(&visits->visits[i], &visits->visits[i + 1], (--visits->n_visits - i) * sizeof(*visits->visits));
}
