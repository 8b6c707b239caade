#include "commands/symbolize.h"

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

void symbolize_all(struct profile *profile, struct source *source)
{
	for (size_t i = 0; i < profile->n_insns; i++)
		symbolize_insn(profile, source, (uint32_t)i);
}
