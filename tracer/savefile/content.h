/* The content of a saved run: the tables of a profile as columns. Private to savefile/ and its tests. */
#ifndef ITRACE_SAVEFILE_CONTENT_H
#define ITRACE_SAVEFILE_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "profile/profile.h"
#include "savefile/io.h"

/* Limit against damaged files. A report would take hours to simulate longer paths. PATH_INSNS of recorders/paths.h is
 * far lower. */
#define CONTENT_MAX_PATH_INSNS 1024

/* Returns the content, which the caller frees. Returns NULL and sets *problem if the profile is inconsistent. */
uint8_t *content_write(const struct profile *profile, size_t *n_bytes, const char **problem);

/* Fills an initialized, empty profile. On failure sets *problem and returns false. The caller then calls
 * profile_deinit. */
bool content_read(const uint8_t *content, size_t n_bytes, struct profile *profile, const char **problem);

/* The functions below write or read some tables (io.h). A table refers only to earlier tables. Instructions must be
 * sorted by address. */
void content_serialize_sources(struct io *io, struct profile *profile); /* files, inlined calls, locations */
void content_serialize_insns(struct io *io, struct profile *profile);
void content_serialize_paths(struct io *io, struct profile *profile);
void content_serialize_regions(struct io *io, struct profile *profile); /* all regions; calls the functions below */
void content_serialize_calls(struct io *io, const struct profile *profile, struct profile_region *region);
void content_serialize_pairs(struct io *io, const struct profile *profile, struct profile_region *region);
void content_serialize_misses(struct io *io, const struct profile *profile, struct profile_region *region);

/* sorted.c: copies a profile and sorts the instructions by address, as in a file. Sorted neighbours are similar and
 * compress well. Instructions at one address keep their order. Edges and pairs of paths are sorted, too. The runs of a
 * call tree follow the order of its contexts. The copy shares all data that does not depend on the order of
 * instructions with the profile, and must not outlive the profile. */
void sorted_init(struct profile *sorted, const struct profile *profile);
void sorted_deinit(struct profile *sorted);

/* Write or read the bytes of a whole file. `path` is for error messages. The caller frees the returned bytes; NULL on
 * failure. */
uint8_t *savefile_write_bytes(const struct profile *profile, const char *path, size_t *n_bytes, struct error *err);
bool savefile_read_bytes(const uint8_t *bytes, size_t n_bytes, const char *path, struct profile *profile,
			 struct error *err);

#endif
