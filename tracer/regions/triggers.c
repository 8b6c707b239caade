#include "regions/triggers.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/path.h"
#include "regions/private.h"

#define NOP 0x90
/* glibc and musl call it around every change of the library list (link.h, r_brk). */
#define LOADER_EVENT "_dl_debug_state"

void triggers_init(struct triggers *triggers, const struct trigger_request *request)
{
	*triggers = (struct triggers){0};
	triggers->n_functions = request->n_functions;
	triggers->functions = xcalloc(request->n_functions, sizeof(*triggers->functions));
	triggers->ranges = xcalloc(request->n_ranges, sizeof(*triggers->ranges));
}

void triggers_deinit(struct triggers *triggers)
{
	modules_deinit(&triggers->modules);
	free(triggers->triggers);
	for (size_t i = 0; i < triggers->n_functions; i++)
		for (size_t j = 0; j < TRIGGER_MAX_LISTED; j++)
			free(triggers->functions[i].matches[j]);
	free(triggers->functions);
	free(triggers->ranges);
}

void triggers_reset(struct triggers *triggers)
{
	modules_deinit(&triggers->modules);
	triggers->n_triggers = 0;
}

static size_t first_at(const struct triggers *triggers, uint64_t va)
{
	return ARRAY_SEARCH(triggers->n_triggers, i, triggers->triggers[i].va < va);
}

size_t triggers_at(const struct triggers *triggers, uint64_t va, const struct trigger **first)
{
	size_t i = first_at(triggers, va), n = 0;

	*first = triggers->triggers + i;
	while (i + n < triggers->n_triggers && triggers->triggers[i + n].va == va)
		n++;
	return n;
}

bool scan_add(const struct scan *scan, uint64_t va, enum trigger_kind kind, uint32_t region, struct error *err)
{
	struct triggers *triggers = scan->triggers;
	size_t i = first_at(triggers, va);

	for (; i < triggers->n_triggers && triggers->triggers[i].va == va; i++) {
		if (triggers->triggers[i].kind == kind && triggers->triggers[i].region == region)
			return true;
		if (triggers->triggers[i].kind > kind)
			break;
	}
	if (!process_add_breakpoint(scan->process, va, err))
		return false;
	ARRAY_ADD(triggers, triggers);
	memmove(&triggers->triggers[i + 1], &triggers->triggers[i],
		(triggers->n_triggers - 1 - i) * sizeof(*triggers->triggers));
	triggers->triggers[i] = (struct trigger){.va = va, .kind = kind, .region = region};
	return true;
}

bool scan_is_executable(const struct scan *scan, uint64_t va)
{
	const struct mapping *mapping = mapping_find(scan->mappings, va);

	return mapping && mapping->executable;
}

static bool is_wanted(const struct trigger_request *request, const char *region)
{
	for (size_t i = 0; i < request->n_only_regions; i++)
		if (strcmp(request->only_regions[i], region) == 0)
			return true;
	return request->n_only_regions == 0;
}

/* A note that does not point to a NOP in mapped code is damaged or outdated. */
static bool is_nop(const struct scan *scan, uint64_t va)
{
	uint8_t byte;

	return scan_is_executable(scan, va) && process_read(scan->process, va, &byte, 1) == 1 && byte == NOP;
}

static bool plant_marker(const struct scan *scan, const struct marker *marker, uint64_t va, struct error *err)
{
	static const enum trigger_kind kinds[] = {
		[MARKER_BEGIN] = TRIGGER_BEGIN,
		[MARKER_END] = TRIGGER_END,
		[MARKER_SCOPE_BEGIN] = TRIGGER_SCOPE_BEGIN,
		[MARKER_SCOPE_END] = TRIGGER_SCOPE_END,
	};
	const struct trigger_request *request = scan->request;
	bool is_scope = marker->kind == MARKER_SCOPE_BEGIN || marker->kind == MARKER_SCOPE_END;
	const char *name = marker->region[0] ? marker->region : "unnamed";
	uint32_t region = 0;

	if (is_scope && !request->scopes)
		return true;
	if (marker->kind != MARKER_SCOPE_END)
		region = request->region_id(request->context, name, marker->kind != MARKER_END);
	if ((!is_scope && !is_wanted(request, name)) || !is_nop(scan, va))
		return true;
	return scan_add(scan, va, kinds[marker->kind], region, err);
}

static bool plant_markers(const struct scan *scan, const struct module *module, struct error *err)
{
	struct marker_list list;
	bool ok = true;

	elf_file_markers_init(module->file, &list);
	for (size_t i = 0; i < list.n_markers && ok; i++)
		ok = plant_marker(scan, &list.markers[i], list.markers[i].file_va + module->bias, err);
	elf_file_markers_deinit(&list);
	return ok;
}

bool scan_plant_symbol(const struct scan *scan, const struct module *module, const char *symbol, enum trigger_kind kind,
		       struct error *err)
{
	struct function_list list;
	bool ok = true;

	elf_file_functions_init(module->file, elf_symbol_is, (void *)symbol, &list);
	for (size_t i = 0; i < list.n_functions && ok; i++)
		if (scan_is_executable(scan, list.functions[i].file_va + module->bias))
			ok = scan_add(scan, list.functions[i].file_va + module->bias, kind, 0, err);
	elf_file_functions_deinit(&list);
	return ok;
}

static bool is_allocator(const char *symbol, void *context)
{
	const struct trigger_request *request = context;

	for (size_t i = 0; i < request->n_allocators; i++)
		if (strcmp(request->allocators[i], symbol) == 0)
			return true;
	return false;
}

static bool plant_allocators(const struct scan *scan, const struct module *module, struct error *err)
{
	const struct trigger_request *request = scan->request;
	struct function_list list;
	bool ok = true;

	elf_file_functions_init(module->file, is_allocator, (void *)(uintptr_t)request, &list);
	for (size_t i = 0; i < list.n_functions && ok; i++) {
		const struct function_symbol *function = &list.functions[i];
		uint64_t va = function->file_va + module->bias;

		if (function->is_ifunc || !scan_is_executable(scan, va))
			continue;
		for (uint32_t j = 0; j < request->n_allocators && ok; j++)
			if (strcmp(request->allocators[j], function->symbol) == 0)
				ok = scan_add(scan, va, TRIGGER_ALLOCATOR, j, err);
	}
	elf_file_functions_deinit(&list);
	return ok;
}

static bool plant_module(const struct scan *scan, const struct module *module, struct error *err)
{
	const struct trigger_request *request = scan->request;
	const struct module *program = modules_program(&scan->triggers->modules);
	const char *interpreter = program && program->file ? elf_file_interpreter(program->file) : NULL;

	if (!scan_plant_ranges(scan, module, err) || !scan_plant_functions(scan, module, err))
		return false;
	if (!module->file)
		return true;
	if (!plant_markers(scan, module, err))
		return false;
	if (request->n_allocators && !plant_allocators(scan, module, err))
		return false;
	if (module == program && request->whole_program &&
	    !scan_add(scan, elf_file_entry(module->file) + module->bias, TRIGGER_ENTRY,
		      request->region_id(request->context, "all", false), err))
		return false;
	if (interpreter && module != program && strcmp(path_file_name(interpreter), path_file_name(module->path)) == 0)
		return scan_plant_symbol(scan, module, LOADER_EVENT, TRIGGER_LOADER, err);
	return true;
}

/* An unmapped module loses its triggers and breakpoints, even if another one takes its place. */
static void drop_unmapped(const struct scan *scan)
{
	struct triggers *triggers = scan->triggers;
	size_t n_kept = 0;

	for (size_t i = 0; i < triggers->n_triggers; i++) {
		uint64_t va = triggers->triggers[i].va;
		const struct module *module = modules_find(&triggers->modules, va);

		if (module && !module->is_new)
			triggers->triggers[n_kept++] = triggers->triggers[i];
		else
			process_forget_breakpoints(scan->process, va, va + 1);
	}
	triggers->n_triggers = n_kept;
}

bool triggers_sync(struct triggers *triggers, const struct trigger_request *request, struct process *process,
		   const struct mapping_list *mappings, struct error *err)
{
	const struct scan scan = {.triggers = triggers, .request = request, .process = process, .mappings = mappings};
	bool ok = true;

	modules_sync(&triggers->modules, mappings, process);
	drop_unmapped(&scan);
	for (size_t i = 0; i < triggers->modules.n_modules; i++)
		if (triggers->modules.modules[i].is_new)
			ok &= plant_module(&scan, &triggers->modules.modules[i], err);
	return ok;
}
