#include "analysis/user_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/path.h"

bool user_code_name_matches(const char *name, const char *path)
{
	return strcmp(name, path) == 0 || strcmp(name, path_file_name(path)) == 0;
}

static bool is_below(const char *path, const char *const *folders, size_t n_folders)
{
	for (size_t i = 0; i < n_folders; i++)
		if (strncmp(path, folders[i], strlen(folders[i])) == 0)
			return true;
	return false;
}

static bool is_library_path(const char *path)
{
	static const char *const folders[] = {"/usr/include/", "/usr/lib", "/usr/local/include/", "/usr/local/lib"};

	return is_below(path, folders, ARRAY_LENGTH(folders));
}

static bool is_system_path(const char *path)
{
	static const char *const folders[] = {"/usr/src/", "/build/", "/rustc/", "/usr/local/go/"};

	return *path != '/' || is_library_path(path) || is_below(path, folders, ARRAY_LENGTH(folders));
}

static bool mark_user_file(struct user_code *code, uint32_t file, bool (*is_foreign)(const char *path))
{
	if (file == PROFILE_NONE || code->user_files[file] || is_foreign(code->profile->files[file].path))
		return false;
	return code->user_files[file] = true;
}

/* Marks the files of the modules' code and of the code around inlined calls, except foreign ones. Returns false if none
 * is new. */
static bool mark_user_files(struct user_code *code, const bool *modules, bool (*is_foreign)(const char *path))
{
	const struct profile *profile = code->profile;
	bool any = false;

	for (size_t i = 0; i < profile->n_insns; i++) {
		const struct profile_insn *insn = &profile->insns[i];
		const struct profile_location *location = &profile->locations[insn->location];

		if (insn->location >= profile->n_locations || insn->module == PROFILE_NONE || !modules[insn->module])
			continue;
		any |= mark_user_file(code, location->file, is_foreign);
		for (uint32_t call = location->inlined; call != PROFILE_NONE; call = profile->inlined[call].caller)
			any |= mark_user_file(code, profile->inlined[call].file, is_foreign);
	}
	return any;
}

void user_code_init(struct user_code *code, const struct profile *profile, const char *const *user_modules,
		    size_t n_user_modules)
{
	bool *programs = xcalloc(profile->n_modules, sizeof(*programs)),
	     *named = xcalloc(profile->n_modules, sizeof(*named));

	*code = (struct user_code){.profile = profile};
	code->user_modules = xcalloc(profile->n_modules, sizeof(*code->user_modules));
	code->user_files = xcalloc(profile->n_files, sizeof(*code->user_files));
	code->owners = xcalloc(profile->n_insns, sizeof(*code->owners));
	for (size_t i = 0; i < profile->n_modules; i++) {
		programs[i] = profile->modules[i].is_program;
		for (size_t k = 0; k < n_user_modules; k++)
			named[i] |= user_code_name_matches(user_modules[k], profile->modules[i].path);
		code->user_modules[i] = programs[i] || named[i];
	}
	if (!mark_user_files(code, programs, is_system_path))
		mark_user_files(code, programs, is_library_path);
	mark_user_files(code, named, is_library_path);
	free(programs);
	free(named);
}

void user_code_deinit(struct user_code *code)
{
	free(code->user_modules);
	free(code->user_files);
	free(code->owners);
	*code = (struct user_code){0};
}

bool user_code_is_stub(const struct profile *profile, uint32_t insn)
{
	uint32_t function = profile->insns[insn].function;

	return function != PROFILE_NONE && profile_function_is_stub(profile, function);
}

static bool is_user_file(const struct user_code *code, uint32_t file)
{
	return file != PROFILE_NONE && code->user_files[file];
}

struct user_line user_code_find_line(const struct user_code *code, uint32_t insn)
{
	const struct profile *profile = code->profile;
	uint32_t outermost = profile->insns[insn].function, index = profile->insns[insn].location, call;
	struct user_line line = {outermost, PROFILE_NONE, 0};

	if (index >= profile->n_locations)
		return line;
	line.file = profile->locations[index].file;
	line.line = profile->locations[index].line;
	call = profile->locations[index].inlined;
	for (; call != PROFILE_NONE && !is_user_file(code, line.file); call = profile->inlined[call].caller) {
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

	if (module == PROFILE_NONE || !code->user_modules[module] || user_code_is_stub(code->profile, insn))
		return OWNER_LIBRARY;
	file = user_code_find_line(code, insn).file;
	return file == PROFILE_NONE || is_user_file(code, file) ? OWNER_USER : OWNER_LIBRARY;
}

bool user_code_has_insn(struct user_code *code, uint32_t insn)
{
	if (code->owners[insn] == OWNER_NOT_LOOKED_UP)
		code->owners[insn] = find_owner(code, insn);
	return code->owners[insn] == OWNER_USER;
}

bool user_code_has_line(const struct user_code *code, uint32_t insn)
{
	const struct profile_insn *own = &code->profile->insns[insn];

	return own->module != PROFILE_NONE && code->user_modules[own->module] &&
	       own->location < code->profile->n_locations &&
	       is_user_file(code, code->profile->locations[own->location].file);
}
