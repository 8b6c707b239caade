#include "costmodels/predictors/cache.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { PAGE_BITS = 12, LINE_BITS = 6, LINES_PER_PAGE = 1 << (PAGE_BITS - LINE_BITS) };

struct level {
	uint64_t *tags; /* [n_sets][ways] lines or pages plus 1, most recently used first; 0: free */
	uint32_t n_sets, ways;
};

/* A stream of consecutive lines of a page. */
struct stream {
	uint64_t page; /* plus 1; 0: free */
	int64_t last;
	int step; /* 1 or -1 */
	unsigned length;
};

struct cache {
	struct level levels[N_CACHE_LEVELS];
	uint64_t last_line, last_page; /* of the previous access, plus 1; 0: none */
	struct stream streams[CACHE_STREAMS];
	unsigned next_stream; /* index of the stream that was replaced last */
};

static bool get_number(const struct model *model, const char *key, uint32_t factor, uint32_t *value)
{
	const char *text = model_parameter(model, key);

	if (!text)
		return false;
	*value = (uint32_t)strtoul(text, NULL, 10) * factor;
	return *value > 0;
}

bool cache_geometry_from_model(const struct model *model, struct cache_geometry *out)
{
	static const struct {
		const char *entries, *ways;
		uint32_t factor;
	} keys[] = {
		[CACHE_L1] = {"l1d_kib", "l1d_ways", 1024 / CACHE_LINE_BYTES},
		[CACHE_L2] = {"l2_kib", "l2_ways", 1024 / CACHE_LINE_BYTES},
		[CACHE_L3] = {"l3_kib", "l3_ways", 1024 / CACHE_LINE_BYTES},
		[CACHE_DTLB] = {"dtlb_entries", "dtlb_ways", 1},
		[CACHE_STLB] = {"stlb_entries", "stlb_ways", 1},
	};
	struct cache_geometry geometry;

	for (int i = 0; i < N_CACHE_LEVELS; i++)
		if (!get_number(model, keys[i].entries, keys[i].factor, &geometry.entries[i]) ||
		    !get_number(model, keys[i].ways, 1, &geometry.ways[i]) || geometry.entries[i] < geometry.ways[i])
			return false;
	*out = geometry;
	return true;
}

void cache_geometry_text(const struct cache_geometry *geometry, char text[CACHE_GEOMETRY_BYTES])
{
	size_t n = 0;

	for (int i = 0; i < N_CACHE_LEVELS; i++)
		n += (size_t)snprintf(text + n, CACHE_GEOMETRY_BYTES - n, "%s%" PRIu32 "/%" PRIu32, i ? " " : "",
				      geometry->entries[i], geometry->ways[i]);
}

struct cache *cache_create(const struct cache_geometry *geometry)
{
	struct cache *cache = xcalloc(1, sizeof(*cache));

	for (int i = 0; i < N_CACHE_LEVELS; i++) {
		struct level *level = &cache->levels[i];

		level->ways = geometry->ways[i];
		level->n_sets = geometry->entries[i] / geometry->ways[i];
		level->tags = xcalloc((size_t)level->n_sets * level->ways, sizeof(*level->tags));
	}
	return cache;
}

void cache_destroy(struct cache *cache)
{
	if (!cache)
		return;
	for (int i = 0; i < N_CACHE_LEVELS; i++)
		free(cache->levels[i].tags);
	free(cache);
}

/* Makes an entry the most recently used. Returns whether it was present. */
static bool touch(struct level *level, uint64_t number)
{
	uint64_t *set = &level->tags[number % level->n_sets * level->ways], tag = number + 1;
	uint32_t i = 0;
	bool was_present;

	while (i < level->ways - 1 && set[i] != tag)
		i++;
	was_present = set[i] == tag;
	memmove(set + 1, set, i * sizeof(*set));
	set[0] = tag;
	return was_present;
}

static struct stream *find_stream(struct cache *cache, uint64_t page)
{
	for (unsigned i = 0; i < CACHE_STREAMS; i++)
		if (cache->streams[i].page == page + 1)
			return &cache->streams[i];
	cache->next_stream = (cache->next_stream + 1) % CACHE_STREAMS;
	cache->streams[cache->next_stream] = (struct stream){.page = page + 1, .last = -2}; /* adjacent to no line */
	return &cache->streams[cache->next_stream];
}

/* Updates the stream of a page after an access to a new line, and prefetches the next lines of the stream. */
static void prefetch(struct cache *cache, uint64_t line)
{
	uint64_t page = line / LINES_PER_PAGE;
	int64_t place = (int64_t)(line % LINES_PER_PAGE);
	struct stream *stream = find_stream(cache, page);
	int64_t step = place - stream->last;

	if (step == 0)
		return;
	stream->length = step == stream->step ? stream->length + 1 : 1;
	stream->step = step == 1 || step == -1 ? (int)step : 0;
	stream->last = place;
	if (stream->length < 2 || !stream->step)
		return;
	for (int i = 1; i <= 1 + CACHE_PREFETCHED; i++) {
		int64_t next = place + i * stream->step;

		if (next < 0 || next >= LINES_PER_PAGE)
			break;
		if (i == 1)
			touch(&cache->levels[CACHE_L1], page * LINES_PER_PAGE + (uint64_t)next);
		touch(&cache->levels[CACHE_L2], page * LINES_PER_PAGE + (uint64_t)next);
		touch(&cache->levels[CACHE_L3], page * LINES_PER_PAGE + (uint64_t)next);
	}
}

struct cache_found cache_access(struct cache *cache, uint64_t va)
{
	uint64_t line = va >> LINE_BITS, page = va >> PAGE_BITS;
	struct cache_found found = {0};

	if (line + 1 == cache->last_line)
		return found;
	cache->last_line = line + 1;
	if (page + 1 != cache->last_page && !touch(&cache->levels[CACHE_DTLB], page)) {
		found.in_stlb = touch(&cache->levels[CACHE_STLB], page);
		found.in_page_tables = !found.in_stlb;
	}
	cache->last_page = page + 1;
	if (!touch(&cache->levels[CACHE_L1], line)) {
		bool in_l2 = touch(&cache->levels[CACHE_L2], line), in_l3 = touch(&cache->levels[CACHE_L3], line);

		found.in_l2 = in_l2;
		found.in_l3 = !in_l2 && in_l3;
		found.in_memory = !in_l2 && !in_l3;
	}
	prefetch(cache, line);
	return found;
}
