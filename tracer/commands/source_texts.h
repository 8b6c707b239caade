/* The texts of the source files of a profile, as they are now. */
#ifndef ITRACE_COMMANDS_SOURCE_TEXTS_H
#define ITRACE_COMMANDS_SOURCE_TEXTS_H

#include "profile/profile.h"
#include "report/report.h"
#include "source/text.h"

struct source_texts {
	size_t n_files;
	struct source_text *texts;     /* [n_files] by index of the profile's files */
	struct report_source *sources; /* [n_files] */
};

/* Reads each file at its path or below one of the folders: with all of its path, or with ever less of its beginning. Of
 * several the first one is taken that is the right one by its checksum, else the first one. */
void source_texts_init(struct source_texts *texts, const struct profile *profile, const char *const *folders,
		       size_t n_folders);
void source_texts_deinit(struct source_texts *texts);

/* Notes in the profile what its files hold at the time of the run. */
void source_texts_record(struct profile *profile);

#endif
