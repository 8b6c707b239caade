/* The layers of a saved profile (FORMAT.md): sections, in a compressed frame, in a file. Private to profile/ and its tests.
 */
#ifndef ITRACE_PROFILE_FORMAT_H
#define ITRACE_PROFILE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "profile/bytes.h"
#include "profile/profile.h"

#define FORMAT_MAGIC "\x89ITRACE"
#define FORMAT_MAGIC_BYTES 7
#define FORMAT_VERSION 1
#define FORMAT_HEADER_BYTES (FORMAT_MAGIC_BYTES + 1)

#define FORMAT_TAG_BYTES 4
#define TAG_PROGRAM "prog"
#define TAG_MODULES "mods"
#define TAG_FUNCTIONS "func"
#define TAG_INSNS "insn"
#define TAG_FORMS "form"
#define TAG_LINES "line"
#define TAG_PATHS "path"
#define TAG_CACHES "cach"
#define TAG_THREADS "thrd"
#define TAG_REGION "regi"
#define TAG_SHARES "shar"
#define TAG_CALLS "call"
#define TAG_PAIRS "pair"
#define TAG_MISSES "miss"
#define TAG_NOTES "note"
#define TAG_END "end."

/* In the columns that name a module or function by the one before. */
#define SAME_AS_BEFORE 0
#define NONE_AT_ALL 1
#define FIRST_INDEX 2

/* Limits that no profile meets and a hostile file soon does: sections together, and what they become in memory. An instruction
 * takes some 5 bytes of the one and 70 of the other. */
#define FORMAT_MAX_BODY_BYTES ((size_t)128 << 20)
#define FORMAT_MAX_MEMORY_BYTES ((size_t)2 << 30)

/* Likewise of one path (path_builder.h): so that a file cannot have a report simulate for hours. */
#define FORMAT_MAX_PATH_INSNS 1024

/* The sections as bytes; the caller frees writer->bytes. */
void format_encode(const struct profile *profile, struct byte_writer *writer);

/* The payload of one region. order[n_insns]: indices of instructions by position in the file; positions[n_insns]: the reverse. */
void format_put_region(const struct profile *profile, const struct profile_region *region, const uint32_t *order,
		       const uint32_t *positions, struct byte_writer *out);

/* The payload of the lines. functions[n_functions]: numbers in the file by index. */
void format_put_lines(const struct profile *profile, const uint32_t *order, const uint32_t *functions,
		      struct byte_writer *out);

/* Gives the instructions, which are in the order of the file, the locations that the reader's bytes are the payload of. */
void format_get_lines(struct byte_reader *reader, struct profile *profile);

/* An index, if it is not that of the item before. */
void format_put_reference(struct byte_writer *out, uint32_t index, uint32_t before);
uint32_t format_get_reference(struct byte_reader *reader, uint32_t before, uint64_t n);
uint32_t format_reference(struct byte_reader *reader, uint64_t value, uint32_t before, uint64_t n); /* value was read */

/* Whether an instruction lies directly behind another. */
bool format_follows(const struct profile *profile, uint32_t before, uint32_t insn);

/* A count; reports print them as signed numbers. */
uint64_t format_get_count(struct byte_reader *reader);

/* 0 for PROFILE_NONE, else an index below n, plus 1. */
uint32_t format_get_index(struct byte_reader *reader, size_t n);

/* Adds the region that the reader's bytes are the payload of. */
void format_get_region(struct byte_reader *reader, struct profile *profile);

/* The payload of the threads; that of what they have of a region, and back: of the last region. */
void format_put_threads(const struct profile *profile, struct byte_writer *out);
void format_get_threads(struct byte_reader *reader, struct profile *profile);
void format_put_shares(const struct profile_region *region, struct byte_writer *out);
void format_get_shares(struct byte_reader *reader, struct profile *profile);

/* The payload of a region's call tree, and back: of the last region. */
void format_put_calls(const struct profile_region *region, const uint32_t *positions, struct byte_writer *out);
void format_get_calls(struct byte_reader *reader, struct profile *profile);

/* The payload of the paths, and back. positions[n_insns]: of the instructions in the file. */
void format_put_paths(const struct profile *profile, const uint32_t *positions, struct byte_writer *out);
void format_get_paths(struct byte_reader *reader, struct profile *profile);

/* The payload of a region's pairs of paths and what was simulated along them, and back: of the last region.
 * order[n_insns]: indices of instructions by position in the file. */
void format_put_pairs(const struct profile *profile, const struct profile_region *region, const uint32_t *order,
		      struct byte_writer *out);
void format_get_pairs(struct byte_reader *reader, struct profile *profile);

/* The payload of the caches that were simulated; that of what a region missed in each, and back: of the last region. */
void format_put_caches(const struct profile *profile, struct byte_writer *out);
void format_get_caches(struct byte_reader *reader, struct profile *profile);
void format_put_misses(const struct profile *profile, const struct profile_region *region, const uint32_t *order,
		       struct byte_writer *out);
void format_get_misses(struct byte_reader *reader, struct profile *profile);

/* A count for each of some instructions. */
void format_put_tally(const struct profile *profile, const struct profile_tally *tally, const uint32_t *order,
		      struct byte_writer *out);
void format_get_tally(struct byte_reader *reader, const struct profile *profile, struct profile_tally *tally);

/* Fills an initialized, empty profile. False: *problem says why, and the profile holds anything that can be deinited. */
bool format_decode(const uint8_t *body, size_t n_bytes, struct profile *profile, const char **problem);

/* The content of a file to a profile and back. `path` is for messages. */
bool format_load_bytes(const uint8_t *bytes, size_t n_bytes, const char *path, struct profile *profile,
		       struct error *err);
bool format_save_bytes(const struct profile *profile, const char *path, struct byte_writer *writer, struct error *err);

#endif
