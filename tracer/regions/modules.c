#include "regions/modules.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void modules_deinit(struct modules *modules)
{
	for (size_t i = 0; i < modules->n_modules; i++) {
		free(modules->modules[i].path);
		elf_file_close(modules->modules[i].file);
	}
	free(modules->modules);
	free(modules->program_path);
	*modules = (struct modules){0};
}

const struct module *modules_find(const struct modules *modules, uint64_t va)
{
	for (size_t i = 0; i < modules->n_modules; i++)
		if (va >= modules->modules[i].start_va && va < modules->modules[i].end_va)
			return &modules->modules[i];
	return NULL;
}

const struct module *modules_program(const struct modules *modules)
{
	for (size_t i = 0; i < modules->n_modules; i++)
		if (modules->program_path && strcmp(modules->modules[i].path, modules->program_path) == 0)
			return &modules->modules[i];
	return NULL;
}

static bool is_still_mapped(const struct module *module, const struct mapping_list *mappings)
{
	for (size_t i = 0; i < mappings->n_mappings; i++) {
		const struct mapping *mapping = &mappings->mappings[i];

		if (mapping->executable && mapping->start_va >= module->start_va &&
		    mapping->start_va < module->end_va && strcmp(mapping->path, module->path) == 0)
			return true;
	}
	return false;
}

static struct elf_file *open_mapped_file(const struct mapping *mapping, const struct process *process)
{
	struct error ignored = {0};
	struct elf_file *file;
	char path[80];

	if (mapping->path[0] != '/')
		return NULL;
	file = elf_file_open(mapping->path, &ignored);
	if (file)
		return file;
	/* The file is deleted or in another mount namespace. With permission, the mapping's link still leads to it. */
	process_mapping_link(process, mapping, path, sizeof(path));
	return elf_file_open(path, &ignored);
}

static void set_range(struct module *module)
{
	const struct elf_segment *segments;
	uint64_t low = UINT64_MAX, high = 0;
	size_t n_segments;

	segments = elf_file_segments(module->file, &n_segments);
	for (size_t i = 0; i < n_segments; i++) {
		uint64_t end = segments[i].file_va + segments[i].memory_bytes;

		if (segments[i].file_va < low)
			low = segments[i].file_va;
		if (end > high)
			high = end;
	}
	if (low < high) {
		module->start_va = module->bias + (low & ~UINT64_C(4095));
		module->end_va = module->bias + high;
	}
}

void modules_sync(struct modules *modules, const struct mapping_list *mappings, const struct process *process)
{
	size_t n_kept = 0;
	char path[PATH_MAX];

	if (!modules->program_path && process_program_path(process, path, sizeof(path)))
		modules->program_path = xstrdup(path);
	for (size_t i = 0; i < modules->n_modules; i++) {
		struct module *module = &modules->modules[i];

		module->is_new = false;
		if (is_still_mapped(module, mappings)) {
			modules->modules[n_kept++] = *module;
		} else {
			free(module->path);
			elf_file_close(module->file);
		}
	}
	modules->n_modules = n_kept;
	for (size_t i = 0; i < mappings->n_mappings; i++) {
		const struct mapping *mapping = &mappings->mappings[i];
		const struct module *known = modules_find(modules, mapping->start_va);
		struct module module = {.start_va = mapping->start_va, .end_va = mapping->end_va, .is_new = true};

		if (!mapping->executable || !mapping->path[0] || (known && strcmp(known->path, mapping->path) == 0))
			continue;
		module.file = open_mapped_file(mapping, process);
		if (module.file && elf_file_bias(module.file, mapping->start_va, mapping->offset_bytes, &module.bias))
			set_range(&module);
		else
			module.bias = mapping->start_va - mapping->offset_bytes;
		module.path = xstrdup(mapping->path);
		*ARRAY_ADD(modules, modules) = module;
	}
}
