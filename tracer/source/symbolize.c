#include "source/symbolize.h"

#include "base/path.h"

static void set_function(struct profile *profile, uint32_t insn, const char *name, uint64_t offset)
{
	uint32_t function = profile_intern_function(profile, name, profile->insns[insn].module);

	profile->insns[insn].function = function;
	profile->insns[insn].function_offset = (uint32_t)offset;
}

void symbolize_insn(struct profile *profile, struct source *source, uint32_t index)
{
	const struct profile_insn *insn = &profile->insns[index];
	struct source_address address = {.va = insn->va};
	const struct profile_module *module = NULL;
	const char *name;
	uint64_t offset;

	if (insn->function != PROFILE_NONE)
		return;
	if (insn->module != PROFILE_NONE) {
		module = &profile->modules[insn->module];
		address.path = module->path;
		address.file_va = insn->va - module->bias;
		address.is_program = module->is_program;
	}
	name = source_find_name(source, &address, &offset);
	if (name)
		set_function(profile, index, name, offset);
	else if (module)
		set_function(profile, index, path_file_name(module->path), insn->va - module->start_va);
}

void symbolize_functions(struct profile *profile, struct source *source)
{
	for (uint32_t i = 0; i < profile->n_insns; i++) {
		const char *name = NULL;
		uint64_t offset;

		symbolize_insn(profile, source, i);
		if (profile->insns[i].function == PROFILE_NONE ||
		    profile_function_is_module(profile, profile->insns[i].function))
			name = source_find_generated(source, profile->pid, profile->insns[i].va, &offset);
		if (name)
			set_function(profile, i, name, offset);
	}
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

void symbolize_lines(struct profile *profile, struct source *source)
{
	/* One module at a time, because debug information may take much memory. */
	for (uint32_t module = 0; module < profile->n_modules; module++) {
		const char *path = profile->modules[module].path;
		uint64_t bias = profile->modules[module].bias;

		for (size_t i = 0; i < profile->n_insns; i++) {
			struct profile_insn *insn = &profile->insns[i];
			struct source_line line;

			if (insn->module == module && source_find_line(source, path, insn->va - bias, &line))
				insn->location = intern_location(profile, module, &line);
		}
		source_release_lines(source, path);
	}
}
