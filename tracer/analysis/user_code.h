/* Distinguishes the user's code: the code of the program's own executable and of the modules that the user names.
 * Linkage stubs are excluded, and code whose source files all belong to the system, such as templates.
 *
 * A source file is the user's own if the executable has code from it, unless it is in a folder of the system
 * (/usr/include, /usr/lib, /usr/src, /build ...) or has a relative path, as in packages. For modules that the user
 * names, and for an executable without any own file by this rule, as when a package is debugged, only library folders
 * such as /usr/include and /usr/lib are the system's. */
#ifndef ITRACE_ANALYSIS_USER_CODE_H
#define ITRACE_ANALYSIS_USER_CODE_H

#include "profile/profile.h"

enum code_owner { OWNER_NOT_LOOKED_UP, OWNER_USER, OWNER_LIBRARY };

struct user_code {
	const struct profile *profile;
	bool *is_user;	 /* [n_modules] */
	bool *is_own;	 /* [n_files] */
	uint8_t *owners; /* [n_insns] enum code_owner; private */
};

/* user_modules[n_user_modules]: paths or file names. The result borrows the profile. */
void user_code_init(struct user_code *code, const struct profile *profile, const char *const *user_modules,
		    size_t n_user_modules);
void user_code_deinit(struct user_code *code);

bool user_code_has(struct user_code *code, uint32_t insn);

/* A line of source, and the function that it belongs to in the source. */
struct user_line {
	uint32_t function; /* index in the profile or PROFILE_NONE */
	uint32_t file;	   /* PROFILE_NONE: unknown */
	uint32_t line;	   /* 0: unknown */
};

/* The line of an instruction. If calls were inlined there, it is the innermost line in the user's files. */
struct user_line user_code_find_line(const struct user_code *code, uint32_t insn);

/* True if the instruction's own line, not that of a call around it, is in a file of the user's. */
bool user_code_has_line(const struct user_code *code, uint32_t insn);

/* True if an instruction is in a linkage stub. */
bool user_code_is_stub(const struct profile *profile, uint32_t insn);

/* Returns true if the user's `name` means the module with this path: `name` is the path or its file name. */
bool user_code_is_name_of(const char *name, const char *path);

#endif
