#include "engine/translate/warm_start.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "engine/translate/contexts/dispatch.h"
#include "engine/translate/link/ibl.h"
#include "engine/translate/link/links.h"
#include "engine/translate/relocate.h"
#include "engine/warm_code.h"

/* Of all kept code together. What is known of translated code takes some ten times its size. */
enum { KEPT_BYTES_MAX = 8 << 20, KEPT_MAX = 32 };

struct warm_code {
	char *program; /* path of the executable */
	struct cache cache;
	struct pages pages;
	struct fragments fragments;
	struct addresses addresses;
	struct links links;
	struct ibl ibl;
	size_t n_insns; /* of the profile to which the code last counted */
};

static void destroy(struct warm_code *code)
{
	addresses_deinit(&code->addresses);
	fragments_deinit(&code->fragments);
	ibl_deinit(&code->ibl);
	links_deinit(&code->links);
	pages_deinit(&code->pages);
	cache_close(&code->cache);
	free(code->program);
	free(code);
}

void warm_codes_deinit(struct warm_codes *codes)
{
	for (size_t i = 0; i < codes->n_list; i++)
		destroy(codes->list[i]);
	free(codes->list);
}

static struct warm_code *remove_code(struct warm_codes *codes, size_t i)
{
	struct warm_code *code = codes->list[i];

	memmove(&codes->list[i], &codes->list[i + 1], (codes->n_list - 1 - i) * sizeof(codes->list[0]));
	codes->n_list--;
	return code;
}

void warm_start_begin(struct translator *translator)
{
	char path[PATH_MAX];

	free(translator->program);
	translator->program = process_program_path(translator->engine->process, path, sizeof(path)) ? xstrdup(path)
												    : NULL;
}

/* Moves the code from the translator. */
static struct warm_code *take_out(struct translator *translator)
{
	struct warm_code *code = xcalloc(1, sizeof(*code));

	code->program = translator->program;
	code->cache = translator->cache;
	code->pages = translator->pages;
	code->fragments = translator->fragments;
	code->addresses = translator->addresses;
	code->links = translator->links;
	code->ibl = translator->ibl;
	code->n_insns = translator->engine->profile->n_insns;
	translator->program = NULL;
	translator->cache = (struct cache){.leaves_32bit = code->cache.leaves_32bit};
	translator->pages = (struct pages){.process = code->pages.process,
					   .memo = code->pages.memo,
					   .n_translated = code->pages.n_translated};
	translator->fragments = (struct fragments){0};
	translator->addresses = (struct addresses){0};
	translator->links = (struct links){0};
	translator->ibl = (struct ibl){0};
	ibl_init(&translator->ibl, translator->wants_edges);
	return code;
}

/* Moves the code into the translator, which has none of its own. */
static void put_in(struct translator *translator, struct warm_code *code)
{
	const struct pages old = translator->pages;

	ibl_deinit(&translator->ibl);
	pages_deinit(&translator->pages);
	addresses_deinit(&translator->addresses);
	fragments_deinit(&translator->fragments);
	links_deinit(&translator->links);
	translator->cache = code->cache;
	translator->cache.leaves_32bit = false;
	translator->pages = code->pages;
	translator->pages.process = old.process;
	translator->pages.n_translated = old.n_translated;
	translator->pages.is_volatile = old.is_volatile;
	translator->pages.has_changing = false;
	translator->fragments = code->fragments;
	translator->addresses = code->addresses;
	translator->links = code->links;
	translator->ibl = code->ibl;
	free(code->program);
	free(code);
}

static size_t code_bytes(const struct cache *cache)
{
	size_t n_bytes = 0;

	for (size_t i = 0; i < cache->n_zones; i++)
		n_bytes += cache->zones[i].n_used;
	return n_bytes;
}

static bool can_be_kept(const struct translator *translator)
{
	const struct cache *cache = &translator->cache;

	if (!translator->program || !cache->n_areas || !translator->engine->plan->follow || translator->log.is_wanted ||
	    translator->engine->run->is_leaving || translator->is_full)
		return false;
	return code_bytes(cache) <= KEPT_BYTES_MAX;
}

static size_t kept_bytes(const struct warm_codes *codes)
{
	size_t n_bytes = 0;

	for (size_t i = 0; i < codes->n_list; i++)
		n_bytes += code_bytes(&codes->list[i]->cache);
	return n_bytes;
}

void warm_start_keep(struct translator *translator)
{
	struct warm_codes *codes = &translator->engine->run->warm_codes;

	if (!can_be_kept(translator))
		return;
	while (codes->n_list == KEPT_MAX || kept_bytes(codes) + code_bytes(&translator->cache) > KEPT_BYTES_MAX)
		destroy(remove_code(codes, 0));
	cache_reduce(&translator->cache);
	for (size_t i = 0; i < translator->fragments.n_target_counters; i++)
		cache_word(&translator->cache, AREA_COUNTERS)[translator->fragments.target_counters[i]] = 0;
	*ARRAY_ADD(codes, list) = take_out(translator);
}

static struct warm_code *find_newest(struct warm_codes *codes, const char *program)
{
	for (size_t i = codes->n_list; program && i-- > 0;)
		if (strcmp(codes->list[i]->program, program) == 0)
			return remove_code(codes, i);
	return NULL;
}

bool warm_start_take(struct translator *translator, struct thread *thread)
{
	struct warm_code *code = find_newest(&translator->engine->run->warm_codes, translator->program);
	int64_t moves[ZONES_MAX];
	struct moves found = {.of_zones = moves};
	bool ok;

	if (!code)
		return false;
	code_expect(&translator->engine->code, code->n_insns);
	put_in(translator, code);
	ok = moves_find(&found, translator) &&
	     cache_reopen(&translator->cache, translator->engine->target, thread, moves);
	if (ok) {
		relocate(translator, &found);
		translator->stops.n_breakpoints = 0;
		translator->stops.breakpoints_version = translator->engine->process->breakpoints_version - 1;
		translator->changes.must_verify = false;
	} else {
		cache_unmap(&translator->cache, translator->engine->target, thread);
		dispatch_clear(translator);
		pages_clear(&translator->pages);
		cache_close(&translator->cache);
	}
	moves_deinit(&found);
	return ok;
}
