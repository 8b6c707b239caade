#include "source/symbolize.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/path.h"

void symbolize_insn(struct profile *profile, struct source *source, uint32_t index)
{
	struct profile_insn *insn = &profile->insns[index];
	const struct profile_module *module;
	uint64_t offset;
	char name[4096];

	if (insn->function != PROFILE_NONE || insn->module == PROFILE_NONE)
		return;
	module = &profile->modules[insn->module];
	if (source_find_function(source, module->path, insn->va - module->bias, name, sizeof(name), &offset)) {
		insn->function = profile_intern_function(profile, name, insn->module);
		insn->function_offset = (uint32_t)offset;
		return;
	}
	insn->function = profile_intern_function(profile, path_file_name(module->path), insn->module);
	insn->function_offset = (uint32_t)(insn->va - module->start_va);
}

void symbolize_functions(struct profile *profile, struct source *source)
{
	for (size_t i = 0; i < profile->n_insns; i++)
		symbolize_insn(profile, source, (uint32_t)i);
}

static uint32_t intern_file(struct profile *profile, const char *path)
{
	return path ? profile_intern_file(profile, path) : PROFILE_NONE;
}

static uint32_t intern_location(struct profile *profile, uint32_t module, const struct source_line *line)
{
	struct profile_location location = {
		.file = intern_file(profile, line->file),
		.line = line->line,
		.column = line->column,
		.inlined = PROFILE_NONE,
	};

	for (size_t i = 0; i < line->n_calls; i++) {
		const struct source_call *call = &line->calls[i];
		struct profile_inlined inlined = {
			.function = profile_intern_function(profile, call->function, module),
			.caller = location.inlined,
			.file = intern_file(profile, call->file),
			.line = call->line,
			.column = call->column,
		};

		location.inlined = profile_intern_inlined(profile, &inlined);
	}
	return profile_intern_location(profile, &location);
}

static int compare_places(const void *left, const void *right, void *insns)
{
	const struct profile_insn *a = &((const struct profile_insn *)insns)[*(const uint32_t *)left];
	const struct profile_insn *b = &((const struct profile_insn *)insns)[*(const uint32_t *)right];

	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	if (a->va != b->va)
		return a->va < b->va ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* By module and address: debug information is read unit by unit, and released module by module. */
void symbolize_lines(struct profile *profile, struct source *source)
{
	uint32_t *order = xcalloc(profile->n_insns, sizeof(*order));
	size_t n = 0;

	for (uint32_t i = 0; i < profile->n_insns; i++)
		if (profile->insns[i].module != PROFILE_NONE)
			order[n++] = i;
	if (n > 0)
		qsort_r(order, n, sizeof(*order), compare_places, profile->insns);
	for (size_t i = 0; i < n; i++) {
		struct profile_insn *insn = &profile->insns[order[i]];
		const struct profile_module *module = &profile->modules[insn->module];
		struct source_line line;

		if (source_find_line(source, module->path, insn->va - module->bias, &line))
			insn->location = intern_location(profile, insn->module, &line);
		if (i + 1 == n || profile->insns[order[i + 1]].module != insn->module)
			source_forget_lines(source, module->path);
	}
	free(order);
}
