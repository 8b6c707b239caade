/* The triggers of --function. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/path.h"
#include "regions/private.h"

#define MAIN "main"
#define LIBC_START "__libc_start_main"

bool triggers_add_function(struct triggers *triggers, const struct trigger_request *request, struct process *process,
			   size_t i, uint64_t va, struct error *err)
{
	const struct scan scan = {.triggers = triggers, .request = request, .process = process};

	triggers->functions[i].is_found = true;
	return scan_add(&scan, va, TRIGGER_FUNCTION, request->region_id(request->context, request->functions[i], false),
			err);
}

/* Without a finder, or if the file can only be opened through its mapping, the name must be a symbol. */
static void find_functions(const struct scan *scan, const struct module *module, const char *name,
			   struct function_list *list)
{
	const struct function_finder *finder = scan->request->finder;
	bool is_program = module == modules_program(&scan->triggers->modules);

	*list = (struct function_list){0};
	if (finder)
		finder->find(finder->context, module->path, is_program, name, list);
	if (!list->n_functions && module->file)
		elf_file_functions_init(module->file, elf_symbol_is, (void *)(uintptr_t)name, list);
}

/* A listed function counts once, even if its module is unmapped and mapped again. */
static void note_match(struct trigger_function *function, const struct module *module, const char *name)
{
	char *match = xasprintf("%s [%s]", name, path_file_name(module->path));
	size_t n_listed = function->n_matches < TRIGGER_MAX_LISTED ? function->n_matches : TRIGGER_MAX_LISTED, i = 0;

	while (i < n_listed && strcmp(function->matches[i], match) != 0)
		i++;
	function->n_matches += i == n_listed;
	if (i == n_listed && i < TRIGGER_MAX_LISTED)
		function->matches[i] = match;
	else
		free(match);
}

static bool plant_function(const struct scan *scan, const struct module *module, size_t i, struct error *err)
{
	struct trigger_function *function = &scan->triggers->functions[i];
	struct function_list list;
	bool ok = true;

	find_functions(scan, module, scan->request->functions[i], &list);
	for (size_t j = 0; j < list.n_functions && ok; j++) {
		const struct function_symbol *found = &list.functions[j];
		uint64_t va = found->file_va + module->bias;

		if (found->is_ifunc) {
			function->is_indirect = true;
		} else if (scan_is_executable(scan, va)) {
			if (j == 0 || list.functions[j - 1].file_va != found->file_va)
				note_match(function, module, found->symbol);
			ok = triggers_add_function(scan->triggers, scan->request, scan->process, i, va, err);
		}
	}
	elf_file_functions_deinit(&list);
	return ok;
}

bool scan_plant_functions(const struct scan *scan, const struct module *module, struct error *err)
{
	const struct trigger_request *request = scan->request;
	bool ok = true;

	for (size_t i = 0; i < request->n_functions && ok; i++) {
		ok = plant_function(scan, module, i, err);
		if (ok && module->file && !scan->triggers->functions[i].is_found &&
		    strcmp(request->functions[i], MAIN) == 0 && module != modules_program(&scan->triggers->modules))
			ok = scan_plant_symbol(scan, module, LIBC_START, TRIGGER_LIBC_START, err);
	}
	return ok;
}
