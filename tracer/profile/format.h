/* The layers of a saved profile (FORMAT.md): sections, in a compressed frame, in a file. Private to profile/ and its tests.
 */
#ifndef ITRACE_PROFILE_FORMAT_H
#define ITRACE_PROFILE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "profile/bytes.h"
#include "profile/flow.h"
#include "profile/profile.h"

#define FORMAT_MAGIC "\x89ITRACE"
#define FORMAT_MAGIC_BYTES 7
#define FORMAT_VERSION 2
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

#define FORMAT_CHECKSUM_BYTES 8

/* Limits that no profile meets and a hostile file soon does: what the sections become in memory, and how long it takes to read
 * them. An instruction takes some 70 bytes and 60 decisions, and its share of a call tree as many again. */
#define FORMAT_MAX_MEMORY_BYTES ((size_t)2 << 30)
#ifndef FORMAT_MAX_DECISIONS /* a search for what goes wrong has no time for so many */
#define FORMAT_MAX_DECISIONS (UINT64_C(1) << 29)
#endif

/* Likewise of one path (recorders/paths.h): so that a file cannot have a report simulate for hours. */
#define FORMAT_MAX_PATH_INSNS 1024

/* The sections as bytes; the caller frees writer->bytes. Plain, each can be read by itself, which tests and fuzzers do; files
 * are coded. False: a reader would not take so many. */
bool format_encode(const struct profile *profile, bool is_coded, struct byte_writer *writer);

/* Writes or reads instructions in the order of the file, with functions as they are numbered there. */
void format_io_insns(const struct bytes_io *io, struct profile_insn *insns, size_t n_insns, size_t n_functions,
		     size_t n_modules);

/* Where instructions come from, in the order and numbering of the file. */
struct format_lines {
	const struct profile_insn *insns; /* [n_insns] */
	size_t n_insns;
	struct profile_location *locations; /* [n_insns] */
	struct profile_inlined
		*calls; /* [n_calls] as they occur: those that a call is in before it, right before it where new */
	size_t n_calls, n_functions, n_files;
};

void format_io_lines(const struct bytes_io *io, struct format_lines *lines);

/* What a region executed, in the order of the file. */
struct format_counts {
	const struct profile_insn *insns; /* in that order */
	uint32_t *places;		  /* [n_places] ascending indices in insns of what was executed */
	size_t n_places;
	uint64_t *executions;	 /* [n_places] */
	struct flow_edge *edges; /* [n_edges] by from and to when writing; reading allocates them */
	size_t n_edges;
	uint64_t total; /* executions that were read so far */
};

#define FORMAT_EDGE_BYTES                                                                        \
	(2 * sizeof(struct flow_edge) + 2 * sizeof(struct profile_edge) + 4 * sizeof(uint32_t) + \
	 sizeof(struct flow_return))

void format_io_counts(const struct bytes_io *io, struct format_counts *counts);

/* The payload of one region. insns[n_insns]: in the order of the file; positions[n_insns]: in it, by index. */
void format_put_region(const struct profile *profile, const struct profile_region *region,
		       const struct profile_insn *insns, const uint32_t *positions, struct byte_writer *out);

/* The payload of the lines. order[n_insns]: indices of instructions by position in the file; insns[n_insns] these with functions by
 * number; functions[n_functions]: numbers in the file by index. */
void format_put_lines(const struct profile *profile, const uint32_t *order, const struct profile_insn *insns,
		      const uint32_t *functions, struct byte_writer *out);

/* Gives the instructions, which are in the order of the file, the locations that the reader's bytes are the payload of. */
void format_get_lines(struct byte_reader *reader, struct profile *profile);

/* What a reference says: the index before, none, or an index below n. */
uint32_t format_reference(struct byte_reader *reader, uint64_t value, uint32_t before, uint64_t n);

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

/* Executions of an instruction in one context. */
struct format_run {
	uint32_t insn;
	uint64_t executions;
};

/* A call tree, with instructions as they are numbered in the file. */
struct format_calls {
	const struct profile_insn *insns; /* [n_insns] in the order of the file */
	const uint64_t *executions;	  /* [n_insns] of the region */
	size_t n_insns;
	const struct flow_edge *edges; /* [n_edges] of the region, by from and to */
	size_t n_edges;
	/* The contexts in the order of the file; with their runs when reading. To be freed. */
	struct profile_context *contexts;
	size_t n_contexts, contexts_capacity;
	struct format_run *runs;
	size_t n_runs, runs_capacity;
	/* When writing: contexts in any order, parents first; runs ascend by instruction; numbers[n_source] is set to what each is
	 * called in the file. */
	const struct profile_context *source;
	const struct format_run *source_runs;
	uint32_t *numbers;
	size_t n_source;
};

void format_io_calls(const struct bytes_io *io, struct format_calls *calls);

/* The payload of a region's call tree, and back: of the last region. */
void format_put_calls(const struct profile *profile, const struct profile_region *region,
		      const struct profile_insn *insns, const uint32_t *positions, struct byte_writer *out);
void format_get_calls(struct byte_reader *reader, struct profile *profile);

/* The edges of a region by the places of their ends, sorted. To be freed. */
struct flow_edge *format_sort_edges(const struct profile_region *region, const uint32_t *places);

/* Writes or reads a run of a path's instructions: the first one, seen from `next`, which lies behind the run before and that behind
 * `before`, the first instruction of that; and how many they are. What is read may be anything. */
void format_io_path_run(const struct bytes_io *io, uint64_t next, uint64_t before, uint64_t *first, uint64_t *n_insns);

/* The numbers of an alias, in the order of the format; `before` are those of the one before it. */
#define FORMAT_ALIAS_NUMBERS 4
void format_io_path_alias(const struct bytes_io *io, const uint64_t *before, uint64_t *numbers);

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
bool format_decode(const uint8_t *body, size_t n_bytes, bool is_coded, struct profile *profile, const char **problem);

/* The content of a file to a profile and back. `path` is for messages. */
bool format_load_bytes(const uint8_t *bytes, size_t n_bytes, const char *path, struct profile *profile,
		       struct error *err);
bool format_save_bytes(const struct profile *profile, const char *path, struct byte_writer *writer, struct error *err);

#endif
