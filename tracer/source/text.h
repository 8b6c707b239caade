/* Reads the texts of a profile's source files. */
#ifndef ITRACE_SOURCE_TEXT_H
#define ITRACE_SOURCE_TEXT_H

#include <stddef.h>

#include "profile/profile.h"

/* The state of a source file compared with the profile. */
enum source_text_state {
	SOURCE_MISSING,
	SOURCE_SAME,		  /* unchanged, as far as known */
	SOURCE_CHANGED_SINCE_RUN, /* differs from the text when the program ran */
	SOURCE_NEWER,		  /* modified after the program was built */
};

struct source_text {
	enum source_text_state state;
	const char *const *lines; /* [n_lines] without line ends, each up to its first zero byte; NULL: missing */
	size_t n_lines;
	char *bytes; /* the memory that lines point into */
};

/* Reads each source file at its path, or below one of the folders. Below a folder, the whole path is tried, then the
 * path without its first folder, without its first two folders, and so on. The first file that is SOURCE_SAME is
 * taken, else the first file found. Only regular files of at most 64 MiB are read. Returns [profile->n_files], which
 * the caller destroys. */
struct source_text *source_texts_create(const struct profile *profile, const char *const *folders, size_t n_folders);
void source_texts_destroy(struct source_text *texts, size_t n_texts); /* texts may be NULL */

/* Records the state of the source files in the profile right after the run. */
void source_texts_record(struct profile *profile);

#endif
