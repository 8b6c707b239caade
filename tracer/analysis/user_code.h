/* Distinguishes the user's code from library code. The user's code is that of the program's executable and of the
 * modules that the user names, without linkage stubs and without library code that is compiled in, such as templates.
 *
 * Code is compiled in if none of its source files belongs to the user. The source files of the executable belong to
 * the user, except those in system folders (/usr/include, /usr/lib, /usr/src, /build ...) and those with a relative
 * path, which packages have. If no file is left by this rule, as for the executable of a package, or if the user
 * named the module, only library folders such as /usr/include and /usr/lib are excluded.
 */
#ifndef ITRACE_ANALYSIS_USER_CODE_H
#define ITRACE_ANALYSIS_USER_CODE_H

#include "profile/profile.h"

enum code_owner { OWNER_NOT_LOOKED_UP, OWNER_USER, OWNER_LIBRARY };

struct user_code {
	const struct profile *profile;
	bool *user_modules; /* [n_modules] */
	bool *user_files;   /* [n_files] */
	uint8_t *owners;    /* [n_insns] enum code_owner; private */
};

/* user_modules[n_user_modules]: paths or file names. The result borrows the profile. */
void user_code_init(struct user_code *code, const struct profile *profile, const char *const *user_modules,
		    size_t n_user_modules);
void user_code_deinit(struct user_code *code);

bool user_code_has_insn(struct user_code *code, uint32_t insn);

/* A line of source, and the function that it belongs to in the source. */
struct user_line {
	uint32_t function; /* index in the profile or PROFILE_NONE */
	uint32_t file;	   /* PROFILE_NONE: unknown */
	uint32_t line;	   /* 0: unknown */
};

/* Returns the line of an instruction. For inlined code, this is the innermost line in a file of the user's code. */
struct user_line user_code_find_line(const struct user_code *code, uint32_t insn);

/* Returns true if the instruction's own line is in a file of the user's code. The lines of inlined calls around it do
 * not count. */
bool user_code_has_line(const struct user_code *code, uint32_t insn);

/* Returns true if the instruction is in a linkage stub. */
bool user_code_is_stub(const struct profile *profile, uint32_t insn);

/* Returns true if `name`, which the user gave, is the path or the file name of a module. */
bool user_code_name_matches(const char *name, const char *path);

#endif
