#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/call_walk.h"
#include "profile/columns.h"
#include "profile/format.h"

/* Levels up that a call of the same function is looked for. */
#define MAX_LEVELS 64

struct call_io {
	const struct bytes_io *io;
	struct format_calls *calls;
	struct call_walk walk;
	uint32_t *depths; /* [n_depths] by context */
	size_t n_depths, depths_capacity;
	uint32_t *sources; /* [n_sources] when writing: index in the source, by context */
	size_t n_sources, sources_capacity;
};

static bool has_failed(const struct call_io *cio)
{
	return cio->io->reader && cio->io->reader->problem;
}

static void fail(const struct call_io *cio, const char *problem)
{
	bytes_fail(cio->io->reader, problem);
}

static unsigned n_bits(uint64_t value)
{
	return value ? 64 - (unsigned)__builtin_clzll(value) : 0;
}

struct extra {
	uint32_t *insns;
	size_t n_insns, insns_capacity;
};

/* Adds what a walk missed: the first one, which may lead to the others; after some times, all. */
static bool add_missed(const struct call_io *cio, const struct format_run *runs, size_t n_runs, unsigned round,
		       struct extra *extra)
{
	size_t n_before = extra->n_insns;

	for (size_t i = 0; i < n_runs; i++) {
		if (call_walk_has_visited(&cio->walk, runs[i].insn))
			continue;
		*ARRAY_ADD(extra, insns) = runs[i].insn;
		if (round < 4)
			break;
	}
	return extra->n_insns > n_before;
}

static uint32_t io_insn(const struct call_io *cio, enum column column, uint32_t insn, uint32_t seen_from)
{
	struct hint hint = {(uint8_t)column, 2, {0, seen_from}};
	uint64_t result = seen_from + (uint64_t)bytes_io_int(cio->io, &hint, (int64_t)insn - seen_from);

	if (result < cio->calls->n_insns)
		return (uint32_t)result;
	fail(cio, "its call tree has an instruction that is not there");
	return 0;
}

static void io_extra(struct call_io *cio, uint32_t entry, struct extra *extra)
{
	static const struct hint hint = {COLUMN_TREE_N_EXTRA, 1, {0}};
	uint64_t n = bytes_io_uint(cio->io, &hint, extra->n_insns);
	uint32_t before = entry;

	for (uint64_t i = 0; i < n && !has_failed(cio); i++) {
		if (cio->io->reader && !bytes_charge(cio->io->reader, 1, 2 * sizeof(*extra->insns)))
			break;
		if (cio->io->reader)
			ARRAY_ADD(extra, insns);
		before = extra->insns[i] = io_insn(cio, COLUMN_TREE_EXTRA, extra->insns[i], before);
	}
}

static int compare_insns(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

/* What was visited, to the runs of the context that is the latest one. */
static void keep_runs(struct call_io *cio)
{
	struct format_calls *calls = cio->calls;

	if (!bytes_charge(cio->io->reader, cio->walk.n_visited, 2 * sizeof(*calls->runs)))
		return;
	for (size_t i = 0; i < cio->walk.n_visited; i++)
		*ARRAY_ADD(calls, runs) = (struct format_run){cio->walk.visited[i],
							      cio->walk.places[cio->walk.visited[i]].executions};
}

static void io_runs(struct call_io *cio, uint32_t index, const struct format_run *runs, size_t n_runs)
{
	const struct profile_context *context = &cio->calls->contexts[index];
	struct hint hint = {COLUMN_TREE_CERTAINTY, 2, {0, context->entry}};
	struct extra extra = {0};

	for (size_t i = 0; i < n_runs; i++)
		cio->walk.places[runs[i].insn].wanted = runs[i].executions;
	for (unsigned round = 0; cio->io->writer; round++) {
		cio->walk.certainty = CERTAIN_ALL;
		call_walk_run(&cio->walk, context, extra.insns, extra.n_insns, true);
		if (!add_missed(cio, runs, n_runs, round, &extra))
			break;
	}
	io_extra(cio, context->entry, &extra);
	cio->walk.certainty = (enum certainty)bytes_io_uint(cio->io, &hint, cio->walk.certainty);
	call_walk_run(&cio->walk, context, extra.insns, extra.n_insns, false);
	free(extra.insns);
	for (size_t i = 0; i < n_runs; i++)
		cio->walk.places[runs[i].insn].wanted = 0;
	if (cio->walk.n_visited > 0)
		qsort(cio->walk.visited, cio->walk.n_visited, sizeof(*cio->walk.visited), compare_insns);
	for (size_t i = 0; i < cio->walk.n_visited; i++) {
		struct call_place *place = &cio->walk.places[cio->walk.visited[i]];

		if (place->executions > place->left) {
			fail(cio, "its call tree does not add up to what was executed");
			return;
		}
		place->left -= place->executions;
	}
	if (cio->io->reader)
		keep_runs(cio);
}

/* How many levels up the nearest call of the same function is; 0: none that near. */
static uint64_t guess_levels(const struct format_calls *calls, uint32_t index)
{
	const struct profile_context *context = &calls->contexts[index];
	uint32_t function = calls->insns[context->entry].function, above = context->parent;

	for (uint64_t levels = 1; above != PROFILE_NONE && levels <= MAX_LEVELS; levels++) {
		if (calls->insns[calls->contexts[above].entry].function == function &&
		    calls->contexts[above].recursion_of == PROFILE_NONE)
			return levels;
		above = calls->contexts[above].parent;
	}
	return 0;
}

static void io_recursion(const struct call_io *cio, uint32_t index)
{
	struct profile_context *contexts = cio->calls->contexts;
	struct hint hint = {COLUMN_TREE_LEVELS, 1, {guess_levels(cio->calls, index)}};
	uint64_t levels = 0;
	uint32_t above = index;

	if (contexts[index].recursion_of != PROFILE_NONE)
		for (; above != contexts[index].recursion_of; above = contexts[above].parent)
			levels++;
	levels = bytes_io_uint(cio->io, &hint, levels);
	above = index;
	for (uint64_t i = 0; i < levels && above != PROFILE_NONE; i++)
		above = contexts[above].parent;
	if (above == PROFILE_NONE)
		fail(cio, "a number is out of range");
	contexts[index].recursion_of = levels && above != PROFILE_NONE ? above : PROFILE_NONE;
}

/* The next context: as it is in `source` when writing. NULL: a reader has no memory left for it. */
static struct profile_context *add_context(struct call_io *cio, uint32_t parent, uint32_t site, uint32_t source)
{
	struct format_calls *calls = cio->calls;
	struct profile_context *context;
	uint32_t depth = parent == PROFILE_NONE ? 0 : cio->depths[parent] + 1;

	if (cio->io->reader && !bytes_charge(cio->io->reader, 1, 2 * (sizeof(*context) + sizeof(uint32_t))))
		return NULL;
	if (depth >= PROFILE_MAX_CALL_DEPTH) {
		fail(cio, "its call tree is too deep");
		return NULL;
	}
	*ARRAY_ADD(cio, depths) = depth;
	context = ARRAY_ADD(calls, contexts);
	if (cio->io->writer) {
		*context = calls->source[source];
		*ARRAY_ADD(cio, sources) = source;
		calls->numbers[source] = (uint32_t)calls->n_contexts - 1;
		if (context->recursion_of != PROFILE_NONE)
			context->recursion_of = calls->numbers[context->recursion_of];
	} else {
		context->recursion_of = PROFILE_NONE;
	}
	context->parent = parent;
	context->site = site;
	return context;
}

static uint64_t io_count(const struct call_io *cio, const struct hint *hint, uint64_t count, uint64_t guessed)
{
	count = guessed + (uint64_t)bytes_io_int(cio->io, hint, (int64_t)(count - guessed));
	if (count <= INT64_MAX)
		return count;
	fail(cio, "a number is out of range");
	return 0;
}

/* What a call leads to: to its target, by one of the edges that the region took from it, or elsewhere. */
static uint32_t io_entry(const struct call_io *cio, uint32_t parent, uint32_t site, uint32_t entry)
{
	const struct format_calls *calls = cio->calls;
	const struct call_place *place = &cio->walk.places[site];
	struct hint hint = {COLUMN_TREE_ENTRY,
			    4,
			    {place->transfer, hint_mix(site, 1), hint_mix(site, calls->contexts[parent].entry),
			     hint_mix(site, hint_mix(calls->contexts[parent].site, calls->contexts[parent].entry))}};
	uint64_t told = 0;

	if (place->target == PROFILE_NONE || entry != place->target)
		do
			told++;
		while (told <= place->n_edges && calls->edges[place->first_edge + told - 1].to != entry);
	told = bytes_io_uint(cio->io, &hint, told);
	if (told == 0 && place->target != PROFILE_NONE)
		return place->target;
	if (told > 0 && told <= place->n_edges)
		return calls->edges[place->first_edge + told - 1].to;
	return io_insn(cio, COLUMN_TREE_ENTRY_BY_PLACE, entry, site);
}

/* A call from an instruction, of which `left` calls are not told yet. Returns how many are not then. */
static uint64_t io_child(struct call_io *cio, uint32_t parent, uint32_t site, uint32_t source, uint64_t left)
{
	struct profile_context *context = add_context(cio, parent, site, source);
	uint32_t index = (uint32_t)cio->calls->n_contexts - 1;
	struct hint hint;

	if (!context)
		return 0;
	context->entry = io_entry(cio, parent, site, context->entry);
	hint = (struct hint){COLUMN_TREE_CALLS, 2, {cio->walk.places[site].transfer, hint_mix(site, n_bits(left))}};
	context->calls = io_count(cio, &hint, context->calls, left);
	io_recursion(cio, index);
	return left - context->calls;
}

/* Whether calls from an instruction are looked for: it leads out of its function. */
static bool is_site(const struct call_io *cio, uint32_t insn)
{
	const struct call_place *place = &cio->walk.places[insn];

	if (place->transfer == CODE_JUMP || place->transfer == CODE_CONDITIONAL)
		return place->target == PROFILE_NONE ||
		       cio->calls->insns[place->target].function != cio->calls->insns[insn].function;
	return place->transfer != CODE_NONE && place->transfer != CODE_RETURN;
}

/* When writing: those of `children`, which are told in order, that come from an instruction. */
static size_t n_from(const struct call_io *cio, const uint32_t *children, size_t n_children, uint32_t site)
{
	size_t n = 0;

	while (n < n_children && cio->calls->source[children[n]].site == site)
		n++;
	return n;
}

static void io_children_of(struct call_io *cio, uint32_t parent, uint32_t site, const uint32_t *children, uint64_t n)
{
	struct call_place *place = &cio->walk.places[site];
	uint64_t left = place->executions;
	struct hint hint = {COLUMN_TREE_CHILDREN,
			    4,
			    {place->transfer, hint_mix(site, 1), hint_mix(hint_mix(site, 1), place->n_children),
			     hint_mix(hint_mix(site, 2), n_bits(left))}};

	n = bytes_io_uint(cio->io, &hint, n);
	place->n_children = n;
	for (uint64_t i = 0; i < n && !has_failed(cio); i++)
		left = io_child(cio, parent, site, cio->io->writer ? children[i] : 0, left);
}

static void io_children(struct call_io *cio, uint32_t parent, const uint32_t *children, size_t n_children)
{
	static const struct hint hint = {COLUMN_TREE_N_EXTRA, 1, {1}};
	size_t n_other = 0, next = 0;
	uint32_t *others = xcalloc(n_children, sizeof(*others)), site;
	uint64_t n;

	for (size_t i = 0; i < cio->walk.n_visited && !has_failed(cio); i++) {
		uint32_t insn = cio->walk.visited[i];

		if (!is_site(cio, insn))
			continue;
		while (next < n_children && cio->calls->source[children[next]].site < insn)
			others[n_other++] = children[next++];
		n = next < n_children ? n_from(cio, children + next, n_children - next, insn) : 0;
		io_children_of(cio, parent, insn, n > 0 ? children + next : NULL, n);
		next += n;
	}
	while (next < n_children)
		others[n_other++] = children[next++];
	n = bytes_io_uint(cio->io, &hint, n_other);
	site = cio->calls->contexts[parent].entry;
	for (uint64_t i = 0; i < n && !has_failed(cio); i++) {
		site = io_insn(cio, COLUMN_TREE_EXTRA, cio->io->writer ? cio->calls->source[others[i]].site : 0, site);
		io_child(cio, parent, site, cio->io->writer ? others[i] : 0, 0);
	}
	free(others);
}

static void io_roots(struct call_io *cio, const uint32_t *roots, size_t n_roots)
{
	static const struct hint hint = {COLUMN_TREE_CHILDREN, 1, {0}};
	uint64_t n = bytes_io_uint(cio->io, &hint, n_roots);
	uint32_t before = 0;

	for (uint64_t i = 0; i < n && !has_failed(cio); i++) {
		struct profile_context *context = add_context(cio, PROFILE_NONE, PROFILE_NONE,
							      cio->io->writer ? roots[i] : 0);

		if (!context)
			return;
		before = context->entry = io_insn(cio, COLUMN_TREE_ENTRY_BY_PLACE, context->entry, before);
		context->calls = io_count(cio, &hint, context->calls, 0);
	}
}

static const struct format_calls *sorted_calls; /* qsort has no context */

static int compare_children(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	const struct profile_context *x = &sorted_calls->source[a], *y = &sorted_calls->source[b];
	/* PROFILE_NONE, of roots, comes first. */
	if (x->parent != y->parent)
		return x->parent + 1 < y->parent + 1 ? -1 : 1;
	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	if (x->entry != y->entry)
		return x->entry < y->entry ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* When writing: all contexts of the source, the roots and then by parent, those of one from first[parent] on. */
static uint32_t *sort_children(const struct format_calls *calls, size_t *first)
{
	uint32_t *children = xcalloc(calls->n_source, sizeof(*children));
	size_t next = 0;

	for (uint32_t i = 0; i < calls->n_source; i++)
		children[i] = i;
	sorted_calls = calls;
	if (calls->n_source > 0)
		qsort(children, calls->n_source, sizeof(*children), compare_children);
	for (size_t i = 0; i <= calls->n_source; i++) {
		while (next < calls->n_source && calls->source[children[next]].parent + 1 <= i)
			next++;
		first[i] = next;
	}
	return children;
}

static void io_context(struct call_io *cio, uint32_t index, const uint32_t *children, const size_t *first)
{
	struct format_calls *calls = cio->calls;
	size_t first_run = calls->n_runs;

	if (calls->contexts[index].recursion_of != PROFILE_NONE)
		return;
	if (cio->io->writer) {
		uint32_t source = cio->sources[index];
		const struct profile_context *context = &calls->source[source];

		io_runs(cio, index, context->n_runs > 0 ? &calls->source_runs[context->first_run] : NULL,
			context->n_runs);
		io_children(cio, index, children + first[source], first[source + 1] - first[source]);
		return;
	}
	io_runs(cio, index, NULL, 0);
	calls->contexts[index].first_run = first_run;
	calls->contexts[index].n_runs = calls->n_runs - first_run;
	io_children(cio, index, NULL, 0);
}

void format_io_calls(const struct bytes_io *io, struct format_calls *calls)
{
	struct call_io cio = {.io = io, .calls = calls};
	size_t *first = xcalloc(calls->n_source + 1, sizeof(*first));
	uint32_t *children = sort_children(calls, first);

	call_walk_init(&cio.walk, io, calls);
	io_roots(&cio, children, first[0]);
	for (uint32_t i = 0; i < calls->n_contexts && !has_failed(&cio); i++)
		io_context(&cio, i, children, first);
	for (size_t i = 0; i < calls->n_insns && !has_failed(&cio); i++)
		if (cio.walk.places[i].left && io->reader)
			fail(&cio, "its call tree does not add up to what was executed");
	call_walk_deinit(&cio.walk);
	free(cio.depths);
	free(cio.sources);
	free(first);
	free(children);
}
