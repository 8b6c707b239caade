#include "profile/profile.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/index.h"

void profile_init(struct profile *profile)
{
	const struct profile_location unknown = {.file = PROFILE_NONE, .inlined = PROFILE_NONE};

	*profile = (struct profile){0};
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
	free(region->edges.rows);
	free(region->edges.index.slots);
	free(region->pairs.rows);
	free(region->pairs.index.slots);
	free(region->mispredicts.counts);
	free(region->contexts);
	free(region->context_runs);
	free(region->syscall_sites);
	free(region->thread_totals);
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
	free(profile->form_index.slots);
	free(profile->function_index.slots);
	free(profile->file_index.slots);
	free(profile->inlined_index.slots);
	free(profile->location_index.slots);
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
	free(profile->block_index.slots);
	for (size_t i = 0; i < profile->n_caches; i++)
		free(profile->caches[i]);
	free(profile->caches);
	free(profile->paths);
	free(profile->path_insns);
	free(profile->path_dependences);
	free(profile->threads);
	free(profile->regions);
	free(profile->notes);
	*profile = (struct profile){0};
}

static uint32_t *form_slot(const struct profile *profile, const char *text)
{
	return INDEX_SLOT(&profile->form_index, index_hash_text(text), i,
			  strcmp(profile->forms[i].form.text, text) == 0);
}

uint32_t profile_intern_known_form(struct profile *profile, const struct form *form)
{
	uint32_t *slot;

	INDEX_RESERVE(&profile->form_index, profile->n_forms, i, form_slot(profile, profile->forms[i].form.text));
	slot = form_slot(profile, form->text);
	if (!*slot) {
		ARRAY_ADD(profile, forms)->form = *form;
		*slot = (uint32_t)profile->n_forms;
	}
	return *slot - 1;
}

uint32_t profile_intern_form(struct profile *profile, const uint8_t *bytes, size_t n_bytes)
{
	struct form form;

	form_of_bytes(bytes, n_bytes, &form);
	return profile_intern_known_form(profile, &form);
}

uint32_t profile_intern_named_form(struct profile *profile, const char *text)
{
	struct form form = {.category = "kernel", .isa_extension = "base"};

	snprintf(form.text, sizeof(form.text), "%s", text);
	snprintf(form.mnemonic, sizeof(form.mnemonic), "%s", text);
	return profile_intern_known_form(profile, &form);
}

static uint32_t *function_slot(const struct profile *profile, const char *name, uint32_t module)
{
	return INDEX_SLOT(&profile->function_index, index_hash_text(name) ^ index_hash_pair(module, 0), i,
			  profile->functions[i].module == module && strcmp(profile->functions[i].name, name) == 0);
}

uint32_t profile_intern_function(struct profile *profile, const char *name, uint32_t module)
{
	uint32_t *slot;

	INDEX_RESERVE(&profile->function_index, profile->n_functions, i,
		      function_slot(profile, profile->functions[i].name, profile->functions[i].module));
	slot = function_slot(profile, name, module);
	if (!*slot) {
		*ARRAY_ADD(profile, functions) = (struct profile_function){.name = xstrdup(name), .module = module};
		*slot = (uint32_t)profile->n_functions;
	}
	return *slot - 1;
}

static uint32_t *file_slot(const struct profile *profile, const char *path)
{
	return INDEX_SLOT(&profile->file_index, index_hash_text(path), i, strcmp(profile->files[i].path, path) == 0);
}

uint32_t profile_intern_file(struct profile *profile, const char *path)
{
	uint32_t *slot;

	INDEX_RESERVE(&profile->file_index, profile->n_files, i, file_slot(profile, profile->files[i].path));
	slot = file_slot(profile, path);
	if (!*slot) {
		*ARRAY_ADD(profile, files) = (struct profile_file){.path = xstrdup(path)};
		*slot = (uint32_t)profile->n_files;
	}
	return *slot - 1;
}

static uint32_t *inlined_slot(const struct profile *profile, const struct profile_inlined *inlined)
{
	const uint32_t words[] = {inlined->function, inlined->caller, inlined->file, inlined->line, inlined->column};

	return INDEX_SLOT(&profile->inlined_index, index_hash_words(words, ARRAY_LENGTH(words)), i,
			  memcmp(&profile->inlined[i], inlined, sizeof(*inlined)) == 0);
}

uint32_t profile_intern_inlined(struct profile *profile, const struct profile_inlined *inlined)
{
	uint32_t *slot;

	INDEX_RESERVE(&profile->inlined_index, profile->n_inlined, i, inlined_slot(profile, &profile->inlined[i]));
	slot = inlined_slot(profile, inlined);
	if (!*slot) {
		*ARRAY_ADD(profile, inlined) = *inlined;
		*slot = (uint32_t)profile->n_inlined;
	}
	return *slot - 1;
}

static uint32_t *location_slot(const struct profile *profile, const struct profile_location *location)
{
	const uint32_t words[] = {location->file, location->line, location->column, location->inlined};

	return INDEX_SLOT(&profile->location_index, index_hash_words(words, ARRAY_LENGTH(words)), i,
			  memcmp(&profile->locations[i], location, sizeof(*location)) == 0);
}

uint32_t profile_intern_location(struct profile *profile, const struct profile_location *location)
{
	uint32_t *slot;

	INDEX_RESERVE(&profile->location_index, profile->n_locations, i,
		      location_slot(profile, &profile->locations[i]));
	slot = location_slot(profile, location);
	if (!*slot) {
		*ARRAY_ADD(profile, locations) = *location;
		*slot = (uint32_t)profile->n_locations;
	}
	return *slot - 1;
}

uint32_t profile_intern_region(struct profile *profile, const char *name, uint32_t handlers_of)
{
	for (size_t i = 0; i < profile->n_regions; i++)
		if (profile->regions[i].handlers_of == handlers_of &&
		    profile->regions[i].all_threads_region == PROFILE_NONE &&
		    strcmp(profile->regions[i].name, name) == 0)
			return (uint32_t)i;
	*ARRAY_ADD(profile, regions) = (struct profile_region){.name = xstrdup(name),
							       .all_threads_region = PROFILE_NONE,
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
