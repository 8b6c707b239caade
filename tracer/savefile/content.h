/* The content of a saved run: the tables of a profile as columns. Private to savefile/ and its tests. */
#ifndef ITRACE_SAVEFILE_CONTENT_H
#define ITRACE_SAVEFILE_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "profile/profile.h"
#include "savefile/io.h"

/* A report could take hours to simulate longer paths. recorders/paths.h makes shorter ones. */
#define CONTENT_MAX_PATH_INSNS 1024

/* Returns the content, which the caller frees. Returns NULL and sets *problem if the profile is inconsistent. */
uint8_t *content_write(const struct profile *profile, size_t *n_bytes, const char **problem);

/* Fills an initialized, empty profile. On failure sets *problem and returns false; the profile can then only be
 * deinited. */
bool content_read(const uint8_t *content, size_t n_bytes, struct profile *profile, const char **problem);

/* Each function writes or reads the fields of some tables. A table refers only to tables before it. Instructions
 * ascend by address. */
void source_fields(struct io *io, struct profile *profile); /* files, inlined calls, locations */
void insn_fields(struct io *io, struct profile *profile);
void path_fields(struct io *io, struct profile *profile);
void region_fields(struct io *io, struct profile *profile); /* all regions; calls the functions below */
void call_fields(struct io *io, const struct profile *profile, struct profile_region *region);
void pair_fields(struct io *io, const struct profile *profile, struct profile_region *region);
void miss_fields(struct io *io, const struct profile *profile, struct profile_region *region);

/* sorted.c: a copy of a profile with its instructions sorted by address, as in a file. Sorted neighbours are alike,
 * which compresses well. Instructions at one address keep their order. Edges and pairs of paths are sorted as well, and
 * the runs of a call tree follow the order of its contexts. The copy shares all data that does not depend on the order
 * of instructions with the profile, and must not outlive it. */
void sorted_init(struct profile *sorted, const struct profile *profile);
void sorted_deinit(struct profile *sorted);

/* The bytes of a whole file. `path` is for error messages. The caller frees the bytes; NULL on failure. */
uint8_t *savefile_write_bytes(const struct profile *profile, const char *path, size_t *n_bytes, struct error *err);
bool savefile_read_bytes(const uint8_t *bytes, size_t n_bytes, const char *path, struct profile *profile,
			 struct error *err);

#endif
