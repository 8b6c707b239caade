#include "profile/profile.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"

/* The arrays of a profile move as they grow, so keys are copies. */
struct index_entry {
	UT_hash_handle hh;
	uint32_t index;
	char key[];
};

struct profile_index {
	struct index_entry *forms;     /* by text */
	struct index_entry *functions; /* by module, as bytes, and name */
	struct index_entry *files;     /* by path */
	struct index_entry *inlined;   /* by their bytes */
	struct index_entry *locations; /* by their bytes */
};

static uint32_t *index_find(struct index_entry *head, const void *key, size_t key_bytes)
{
	struct index_entry *entry = NULL;

	HASH_FIND(hh, head, key, key_bytes, entry);
	return entry ? &entry->index : NULL;
}

static void index_add(struct index_entry **head, const void *key, size_t key_bytes, uint32_t index)
{
	struct index_entry *entry = xcalloc(1, sizeof(*entry) + key_bytes);

	entry->index = index;
	memcpy(entry->key, key, key_bytes);
	HASH_ADD_KEYPTR(hh, *head, entry->key, key_bytes, entry);
}

void profile_init(struct profile *profile)
{
	const struct profile_location unknown = {.file = PROFILE_NONE, .inlined = PROFILE_NONE};

	*profile = (struct profile){.index = xcalloc(1, sizeof(*profile->index))};
	profile_intern_location(profile, &unknown);
}

static void region_deinit(struct profile_region *region, size_t n_caches)
{
	for (size_t i = 0; region->misses && i < n_caches * N_PROFILE_MISSES; i++)
		free(region->misses[i].counts);
	free(region->misses);
	for (size_t i = 0; i < region->n_syscalls; i++)
		free(region->syscalls[i].name);
	free(region->syscalls);
	free(region->executions);
	free(region->iterations);
	free(region->edges);
	free(region->edge_slots);
	free(region->pairs);
	free(region->pair_slots);
	free(region->mispredicts.counts);
	free(region->contexts);
	free(region->context_runs);
	free(region->syscall_sites);
	free(region->shares);
	free(region->allocations);
	free(region->name);
}

void profile_deinit(struct profile *profile)
{
	for (char **arg = profile->argv; arg && *arg; arg++)
		free(*arg);
	for (size_t i = 0; i < profile->n_modules; i++)
		free(profile->modules[i].path);
	for (size_t i = 0; i < profile->n_functions; i++)
		free(profile->functions[i].name);
	for (size_t i = 0; i < profile->n_files; i++)
		free(profile->files[i].path);
	for (size_t i = 0; i < profile->n_regions; i++)
		region_deinit(&profile->regions[i], profile->n_caches);
	for (size_t i = 0; i < profile->n_notes; i++)
		free(profile->notes[i]);
	for (size_t i = 0; i < profile->n_threads; i++)
		free(profile->threads[i].name);
	HASH_FREE(profile->index->forms);
	HASH_FREE(profile->index->functions);
	HASH_FREE(profile->index->files);
	HASH_FREE(profile->index->inlined);
	HASH_FREE(profile->index->locations);
	free(profile->index);
	free(profile->argv);
	free(profile->engine);
	free(profile->modules);
	free(profile->functions);
	free(profile->forms);
	free(profile->files);
	free(profile->inlined);
	free(profile->locations);
	free(profile->insns);
	free(profile->blocks);
	free(profile->block_insns);
	free(profile->block_slots);
	for (size_t i = 0; i < profile->n_caches; i++)
		free(profile->caches[i]);
	free(profile->caches);
	free(profile->paths);
	free(profile->path_insns);
	free(profile->path_aliases);
	free(profile->threads);
	free(profile->regions);
	free(profile->notes);
	*profile = (struct profile){0};
}

static uint32_t intern_form(struct profile *profile, const struct form *form)
{
	uint32_t *found = index_find(profile->index->forms, form->text, strlen(form->text));

	if (found)
		return *found;
	index_add(&profile->index->forms, form->text, strlen(form->text), (uint32_t)profile->n_forms);
	ARRAY_ADD(profile, forms)->form = *form;
	return (uint32_t)profile->n_forms - 1;
}

uint32_t profile_intern_form(struct profile *profile, const uint8_t *bytes, size_t n_bytes)
{
	struct form form;

	form_of_bytes(bytes, n_bytes, &form);
	return intern_form(profile, &form);
}

uint32_t profile_intern_named_form(struct profile *profile, const char *text)
{
	struct form form = {.category = "kernel", .isa_extension = "base"};

	snprintf(form.text, sizeof(form.text), "%s", text);
	snprintf(form.mnemonic, sizeof(form.mnemonic), "%s", text);
	return intern_form(profile, &form);
}

uint32_t profile_intern_function(struct profile *profile, const char *name, uint32_t module)
{
	size_t key_bytes = sizeof(module) + strlen(name);
	char *key = xcalloc(1, key_bytes);
	uint32_t *found;
	uint32_t index;

	memcpy(key, &module, sizeof(module));
	memcpy(key + sizeof(module), name, strlen(name));
	found = index_find(profile->index->functions, key, key_bytes);
	if (found) {
		index = *found;
	} else {
		index = (uint32_t)profile->n_functions;
		*ARRAY_ADD(profile, functions) = (struct profile_function){.name = xstrdup(name), .module = module};
		index_add(&profile->index->functions, key, key_bytes, index);
	}
	free(key);
	return index;
}

uint32_t profile_intern_file(struct profile *profile, const char *path)
{
	uint32_t *found = index_find(profile->index->files, path, strlen(path));

	if (found)
		return *found;
	index_add(&profile->index->files, path, strlen(path), (uint32_t)profile->n_files);
	*ARRAY_ADD(profile, files) = (struct profile_file){.path = xstrdup(path)};
	return (uint32_t)profile->n_files - 1;
}

_Static_assert(sizeof(struct profile_inlined) == 5 * sizeof(uint32_t), "a key has no padding");
_Static_assert(sizeof(struct profile_location) == 4 * sizeof(uint32_t), "a key has no padding");

uint32_t profile_intern_inlined(struct profile *profile, const struct profile_inlined *inlined)
{
	uint32_t *found = index_find(profile->index->inlined, inlined, sizeof(*inlined));

	if (found)
		return *found;
	index_add(&profile->index->inlined, inlined, sizeof(*inlined), (uint32_t)profile->n_inlined);
	*ARRAY_ADD(profile, inlined) = *inlined;
	return (uint32_t)profile->n_inlined - 1;
}

uint32_t profile_intern_location(struct profile *profile, const struct profile_location *location)
{
	uint32_t *found = index_find(profile->index->locations, location, sizeof(*location));

	if (found)
		return *found;
	index_add(&profile->index->locations, location, sizeof(*location), (uint32_t)profile->n_locations);
	*ARRAY_ADD(profile, locations) = *location;
	return (uint32_t)profile->n_locations - 1;
}

uint32_t profile_intern_region(struct profile *profile, const char *name, uint32_t handlers_of)
{
	for (size_t i = 0; i < profile->n_regions; i++)
		if (profile->regions[i].handlers_of == handlers_of && profile->regions[i].part_of == PROFILE_NONE &&
		    strcmp(profile->regions[i].name, name) == 0)
			return (uint32_t)i;
	*ARRAY_ADD(profile, regions) = (struct profile_region){.name = xstrdup(name),
							       .part_of = PROFILE_NONE,
							       .thread = PROFILE_NONE,
							       .handlers_of = handlers_of};
	return (uint32_t)profile->n_regions - 1;
}

void profile_note(struct profile *profile, const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = xstrdup(format);
	va_end(args);
	*ARRAY_ADD(profile, notes) = text;
}
