#include "analysis/user_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/path.h"

bool user_code_is_name_of(const char *name, const char *path)
{
	return strcmp(name, path) == 0 || strcmp(name, path_file_name(path)) == 0;
}

void user_code_init(struct user_code *code, const struct profile *profile, const char *const *user_modules,
		    size_t n_user_modules)
{
	*code = (struct user_code){.profile = profile};
	code->is_user = xcalloc(profile->n_modules, sizeof(*code->is_user));
	code->owners = xcalloc(profile->n_insns, sizeof(*code->owners));
	for (size_t i = 0; i < profile->n_modules; i++) {
		code->is_user[i] = profile->modules[i].is_program;
		for (size_t k = 0; k < n_user_modules; k++)
			code->is_user[i] |= user_code_is_name_of(user_modules[k], profile->modules[i].path);
	}
}

void user_code_deinit(struct user_code *code)
{
	free(code->is_user);
	free(code->owners);
	*code = (struct user_code){0};
}

bool user_code_is_stub(const struct profile *profile, uint32_t insn)
{
	uint32_t function = profile->insns[insn].function;

	return function != PROFILE_NONE && profile_function_is_stub(profile, function);
}

static bool is_users_file(const struct profile *profile, uint32_t file)
{
	const char *path;

	if (file == PROFILE_NONE)
		return false;
	path = profile->files[file].path;
	return strncmp(path, "/usr/include/", 13) != 0 && strncmp(path, "/usr/lib/", 9) != 0;
}

struct user_line user_code_find_line(const struct profile *profile, uint32_t insn)
{
	uint32_t outermost = profile->insns[insn].function, index = profile->insns[insn].location, call;
	struct user_line line = {outermost, PROFILE_NONE, 0};

	if (index >= profile->n_locations)
		return line;
	line.file = profile->locations[index].file;
	line.line = profile->locations[index].line;
	call = profile->locations[index].inlined;
	for (; call != PROFILE_NONE && !is_users_file(profile, line.file); call = profile->inlined[call].caller) {
		line.file = profile->inlined[call].file;
		line.line = profile->inlined[call].line;
	}
	if (call != PROFILE_NONE)
		line.function = profile->inlined[call].function;
	if (line.file == PROFILE_NONE || !line.line)
		return (struct user_line){outermost, PROFILE_NONE, 0};
	return line;
}

static enum code_owner find_owner(const struct user_code *code, uint32_t insn)
{
	uint32_t module = code->profile->insns[insn].module, file;

	if (module == PROFILE_NONE || !code->is_user[module] || user_code_is_stub(code->profile, insn))
		return OWNER_LIBRARY;
	file = user_code_find_line(code->profile, insn).file;
	return file == PROFILE_NONE || is_users_file(code->profile, file) ? OWNER_USER : OWNER_LIBRARY;
}

bool user_code_has(struct user_code *code, uint32_t insn)
{
	if (code->owners[insn] == OWNER_NOT_LOOKED_UP)
		code->owners[insn] = find_owner(code, insn);
	return code->owners[insn] == OWNER_USER;
}
