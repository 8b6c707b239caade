/* What a run executed: the one structure that engines fill and everything downstream reads.
 *
 * Nothing here refers to a live process. All strings and arrays are owned by the profile. Arrays follow base/array.h.
 */
#ifndef ITRACE_PROFILE_PROFILE_H
#define ITRACE_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/insn.h"

#define PROFILE_NONE UINT32_MAX /* no such module, function or region */

#define PROFILE_MD5_BYTES 16

#define PROFILE_MAX_BUILD_ID_BYTES 64 /* SHA-1 has 20, SHA-256 32 */

/* A file mapped into the traced process while instructions of it ran. */
struct profile_module {
	char *path;				      /* as the kernel names it; "[vdso]", "[anon]" */
	uint64_t start_va;			      /* of the lowest executed mapping */
	uint64_t end_va;			      /* one past the highest */
	uint64_t bias;				      /* run-time address minus address as linked; 0 when unknown */
	uint8_t build_id[PROFILE_MAX_BUILD_ID_BYTES]; /* [n_build_id] */
	uint8_t n_build_id;			      /* 0: it has none */
	bool is_program;			      /* the executable itself, not a library */
};

struct profile_function {
	char *name;	 /* demangled symbol, or "module+0xOFFSET" where there is none */
	uint32_t module; /* index or PROFILE_NONE */
};

/* What is known of a source file's text, so that another text under its name is told apart. */
enum profile_text {
	TEXT_UNKNOWN,  /* it could not be read when the program ran, and debug information has no checksum */
	TEXT_READ,     /* md5 is that of the text that was there when the program ran */
	TEXT_COMPILED, /* md5 is that of the text that was compiled, as debug information says */
};

struct profile_file {
	char *path; /* as debug information has it, joined with the compilation directory; mostly UTF-8 */
	enum profile_text text;
	uint8_t md5[PROFILE_MD5_BYTES];
	bool is_newer; /* it was modified after the program, of which it may not be the source any more */
};

/* A call that the compiler replaced by the body of the function. */
struct profile_inlined {
	uint32_t function; /* index: what was called */
	uint32_t
		caller; /* the inlined call whose body this call is in, of a lower index; PROFILE_NONE: the instruction's
			    * own function */
	uint32_t file;	/* of the call: index or PROFILE_NONE */
	uint32_t line;	/* 0: unknown */
	uint32_t column; /* 0: unknown */
};

/* Where in the source. */
struct profile_location {
	uint32_t file;	  /* index or PROFILE_NONE */
	uint32_t line;	  /* 0: unknown */
	uint32_t column;  /* 0: unknown */
	uint32_t inlined; /* the innermost inlined call that it is in the body of: index or PROFILE_NONE */
};

/* One static instruction: the same bytes at the same address in the same program image. Changed code gets a new one. */
struct profile_insn {
	uint64_t va;
	uint32_t form;
	uint32_t module;	  /* index or PROFILE_NONE */
	uint32_t function;	  /* index or PROFILE_NONE */
	uint32_t function_offset; /* bytes from the function's first instruction */
	uint32_t location;	  /* index; 0: unknown */
	uint8_t length;		  /* 0 when undecodable */
	uint8_t bytes[INSN_MAX_BYTES];
};

/* Instructions that were executed one behind the other, each lying behind the one before. stream.h says where they end. */
struct profile_block {
	uint32_t first; /* in block_insns */
	uint32_t n_insns;
	uint32_t n_words; /* of decode/insn_address.h, of all its instructions */
};

struct profile_syscall {
	int64_t number;
	bool is_int80; /* the number is of the 32-bit table */
	char *name;    /* "write"; "syscall_9999" when unknown */
	uint64_t count;
};

/* A transfer of control: `to` was executed right after `from` and does not lie behind it. Falling through is what is
 * left of from's executions. Signal handlers begin and end without one. */
struct profile_edge {
	uint32_t from, to; /* instruction indices */
	uint64_t count;
};

/* A load that takes what a store has written a little earlier, by what their addresses were. Words are numbered from 0 over all
 * instructions of a path (decode/insn_address.h). */
struct profile_alias {
	uint32_t load;	     /* its word in the path */
	uint32_t store;	     /* its word in the path ... */
	uint32_t paths_back; /* ... that was executed so many paths before; 0: the same one */
	int32_t offset;	     /* where the load begins in what was stored, in bytes; may be negative */
};

/* Instructions that were executed one behind the other, over taken jumps, calls and returns: one iteration of a loop, or a
 * piece of other code of some length (recorders/paths.h). */
struct profile_path {
	size_t first_insn; /* in path_insns */
	size_t first_alias;
	uint32_t n_insns, n_aliases;
	uint32_t n_words;
};

/* How often one path was executed right behind another. */
struct profile_pair {
	uint32_t from; /* path; PROFILE_NONE: a visit began, a signal handler was entered or left, or it is not known */
	uint32_t to;   /* path */
	uint64_t count;
};

enum profile_miss {
	MISS_IN_L2,
	MISS_IN_L3,
	MISS_IN_MEMORY,
	MISS_IN_STLB,
	MISS_IN_PAGE_TABLES,
	N_PROFILE_MISSES,
};

/* A count for each instruction. */
struct profile_tally {
	uint64_t *counts; /* by instruction index; 0 for those beyond */
	size_t n_counts, counts_capacity;
};

/* So that a tree can be walked by functions that call themselves. */
#define PROFILE_MAX_CALL_DEPTH 4096

/* A node of the call tree: what ran after one call, or jump, from one place, until control came back. It holds all that was
 * executed meanwhile but for what it called in turn. A call of a function that is under way already is a node, too, but
 * what it executes counts for the node of that function above it: each path down the tree has a function once. */
struct profile_context {
	uint32_t parent; /* index in the region's contexts, lower than this one's; PROFILE_NONE: a root */
	uint32_t site;	 /* instruction that led here, executed in the parent; PROFILE_NONE: a root */
	uint32_t entry;	 /* instruction that was executed first; its function is the one that was called */
	uint32_t
		recursion_of; /* the parent or one above it, which counts for this one; PROFILE_NONE: it counts itself */
	uint64_t calls;	      /* how often it was entered; a root: how often the region began there */
	size_t first_run, n_runs; /* in the region's context_runs */
};

/* Instructions of neighbouring indices that one context executed equally often. */
struct profile_context_run {
	uint32_t first, n_insns; /* instruction indices from `first` on */
	uint64_t executions;	 /* of each; not 0 */
};

/* System calls of one kind that one instruction made in one context. */
struct profile_syscall_site {
	uint32_t context; /* index in the region's contexts */
	uint32_t insn;
	uint32_t syscall; /* index in the region's syscalls */
	uint64_t count;
};

/* What hands out memory or takes it back. */
enum profile_allocator {
	ALLOCATOR_MALLOC,
	ALLOCATOR_CALLOC,
	ALLOCATOR_REALLOC,
	ALLOCATOR_ALIGNED, /* posix_memalign, aligned_alloc and the like */
	ALLOCATOR_NEW,	   /* operators of C++ */
	ALLOCATOR_FREE,
	ALLOCATOR_DELETE,
	ALLOCATOR_MMAP, /* system calls */
	ALLOCATOR_MUNMAP,
	ALLOCATOR_BRK,
	ALLOCATOR_MREMAP,
	N_ALLOCATORS,
};

const char *profile_allocator_name(enum profile_allocator allocator);
bool profile_allocator_frees(enum profile_allocator allocator); /* only that */

/* Calls of one allocator from one instruction in one context: of the outermost one where they call each other. */
struct profile_allocation {
	uint32_t context; /* index in the region's contexts */
	uint32_t insn;	  /* the call */
	enum profile_allocator allocator;
	uint64_t calls;
	uint64_t bytes; /* as asked for and got; given back, as far as they were asked for in the region */
	uint64_t kept_calls, kept_bytes; /* of these, not given back until the program's end */
};

/* A thread, or the rest of those that go by one name where there were too many to tell apart. */
struct profile_thread {
	char *name;	    /* as the kernel knows it, seen last */
	uint64_t n_threads; /* 1; of a rest: how many */
};

/* What a thread has of a region. */
struct profile_share {
	uint32_t thread; /* index */
	uint64_t visits;
	uint64_t executions;
};

/* What one region executed, over all its visits, nested regions and all threads included. The instructions of signal
 * handlers that ran inside it are a region of their own whose handlers_of names it.
 *
 * What one thread has of that may be a region as well, its part: all counts are the thread's then, and those of all parts
 * together are those of the region; so are call trees and paths. */
struct profile_region {
	char *name;
	uint32_t part_of;     /* index of the region of all threads; PROFILE_NONE: it is one */
	uint32_t thread;      /* whose part; else PROFILE_NONE */
	uint32_t handlers_of; /* index of the region whose signal handlers these are, or PROFILE_NONE */
	uint32_t n_markers;   /* places in the code where it begins; known even where never reached */
	uint64_t visits;      /* 0: never reached */
	uint64_t visits_cut;  /* ended by the program's end, not by an end marker (--all: not counted here) */
	uint64_t visits_left; /* begun anew from a caller's frame without an end: longjmp, exception, missing PA_END */
	uint64_t unmatched_ends; /* end markers met while the region was not active */
	uint64_t tracing_ns;	 /* wall time spent in its visits, tracing included */
	struct profile_share
		*shares; /* ascending by thread; a part has none. Their executions together are the region's */
	size_t n_shares, shares_capacity;
	uint64_t *executions;	/* [n_counts], by instruction index */
	uint64_t *iterations;	/* [n_counts], of REP string instructions */
	size_t n_counts;	/* at most profile.n_insns; instructions beyond were not executed here */
	size_t counts_capacity; /* private to counts.c */
	struct profile_syscall *syscalls;
	size_t n_syscalls, syscalls_capacity;
	struct profile_edge *edges; /* each pair of ends once, in any order */
	size_t n_edges, edges_capacity;
	uint32_t *edge_slots; /* private to counts.c: index of edges by both ends */
	size_t n_edge_slots;
	/* Paths; none unless profile.has_paths. What the paths of all pairs execute is what the region executed. */
	struct profile_pair *pairs; /* each pair of ends once, in any order */
	size_t n_pairs, pairs_capacity;
	uint32_t *pair_slots; /* private to paths.c: index of pairs by both ends */
	size_t n_pair_slots;
	struct profile_tally mispredicts; /* of branches, by a simulated predictor (costmodels/predictors/branch.h) */
	/* [profile.n_caches][N_PROFILE_MISSES] accesses of loads that the first level of simulated caches and TLBs lacked, by where it
	 * was found; NULL: none. */
	struct profile_tally *misses;
	/* The call tree; none unless profile.has_calls. The executions of all runs are those of the region. */
	struct profile_context *contexts;
	size_t n_contexts, contexts_capacity;
	struct profile_context_run *context_runs; /* those of each context together, ascending by instruction */
	size_t n_context_runs, context_runs_capacity;
	struct profile_syscall_site *syscall_sites; /* ascending by context, instruction and system call */
	size_t n_syscall_sites, syscall_sites_capacity;
	struct profile_allocation
		*allocations; /* ascending by context, instruction and allocator; none unless has_memory */
	size_t n_allocations, allocations_capacity;
};

/* The forms that occur, interned. */
struct profile_form {
	struct form form;
};

struct profile {
	char **argv; /* NULL-terminated */
	int32_t pid; /* of the process; 0: not known */
	bool exited; /* false: killed by `signal`, or itrace stopped tracing before its end */
	int exit_status;
	int signal;	  /* 0: none */
	char *engine;	  /* that counted: "step", or "translate" where that did some or all */
	uint64_t wall_ns; /* launch to end */
	bool has_memory;  /* allocations were watched */
	bool has_calls;	  /* regions have call trees */
	bool has_edges;	  /* transfers of control were counted; else all regions are without */
	struct profile_module *modules;
	size_t n_modules, modules_capacity;
	struct profile_function *functions;
	size_t n_functions, functions_capacity;
	struct profile_form *forms;
	size_t n_forms, forms_capacity;
	struct profile_file *files; /* of source */
	size_t n_files, files_capacity;
	struct profile_inlined *inlined;
	size_t n_inlined, inlined_capacity;
	struct profile_location *locations; /* each once; the first one is that of which nothing is known */
	size_t n_locations, locations_capacity;
	struct profile_insn *insns;
	size_t n_insns, insns_capacity;
	struct profile_block *blocks; /* each sequence once; none without a stream */
	size_t n_blocks, blocks_capacity;
	uint32_t *block_insns; /* instruction indices */
	size_t n_block_insns, block_insns_capacity;
	uint32_t *block_slots; /* private to blocks.c: index of blocks by instructions */
	size_t n_block_slots;
	bool has_paths; /* regions have pairs of paths */
	char **caches;	/* geometries that were simulated (costmodels/predictors/cache.h) */
	size_t n_caches, caches_capacity;
	bool has_addresses; /* aliases are known */
	struct profile_path *paths;
	size_t n_paths, paths_capacity;
	uint32_t *path_insns; /* instruction indices */
	size_t n_path_insns, path_insns_capacity;
	struct profile_alias *path_aliases;
	size_t n_path_aliases, path_aliases_capacity;
	struct profile_thread *threads; /* in the order in which they first came to a region */
	size_t n_threads, threads_capacity;
	struct profile_region *regions; /* in the order in which they became known */
	size_t n_regions, regions_capacity;
	char **notes; /* sentences about this run that a reader must know, e.g. "vfork child 123 was not traced" */
	size_t n_notes, notes_capacity;
	struct profile_index *index; /* private to profile.c: lookup of what is interned */
};

void profile_init(struct profile *profile);
void profile_deinit(struct profile *profile);

/* Finds or adds. Returned indices stay valid; pointers into the arrays do not survive the next addition. */
uint32_t profile_intern_form(struct profile *profile, const uint8_t *bytes, size_t n_bytes);
uint32_t profile_intern_named_form(struct profile *profile, const char *text); /* for what has no bytes: "(vsyscall)" */
uint32_t profile_intern_function(struct profile *profile, const char *name, uint32_t module);
uint32_t profile_intern_file(struct profile *profile, const char *path);
uint32_t profile_intern_inlined(struct profile *profile, const struct profile_inlined *inlined);
uint32_t profile_intern_location(struct profile *profile, const struct profile_location *location);
uint32_t profile_intern_region(struct profile *profile, const char *name, uint32_t handlers_of);
uint32_t profile_intern_part(struct profile *profile, uint32_t region,
			     uint32_t thread); /* handlers' part is the part's */
uint32_t profile_intern_block(struct profile *profile, const uint32_t *insns, size_t n_insns); /* at least 1 */

/* Adds to a region's counts, growing them to hold `insn`. */
void profile_count(struct profile *profile, uint32_t region, uint32_t insn, uint64_t executions, uint64_t iterations);
void profile_count_edge(struct profile *profile, uint32_t region, uint32_t from, uint32_t to, uint64_t count);
void profile_count_syscall(struct profile *profile, uint32_t region, int64_t number, bool is_int80);
void profile_count_syscalls(struct profile *profile, uint32_t region, int64_t number, bool is_int80, uint64_t count);
void profile_count_pair(struct profile *profile, uint32_t region, uint32_t from, uint32_t to, uint64_t count);
/* All caches are there before the first miss. */
void profile_count_miss(struct profile *profile, uint32_t region, size_t cache, enum profile_miss miss, uint32_t insn,
			uint64_t count);
uint64_t profile_miss_of(const struct profile_region *region, size_t cache, enum profile_miss miss, uint32_t insn);
void profile_tally(struct profile_tally *tally, uint32_t insn, uint64_t count);
uint64_t profile_tally_of(const struct profile_tally *tally, uint32_t insn);
void profile_forget_edges(struct profile *profile);
void profile_note(struct profile *profile, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds to a thread's share of a region. */
void profile_add_share(struct profile *profile, uint32_t region, uint32_t thread, uint64_t visits, uint64_t executions);

/* Whether any region has parts. */
bool profile_has_parts(const struct profile *profile);

/* Appends to what a context executed: all of one context, ascending, then all of the next. */
void profile_add_context_run(struct profile_region *region, struct profile_context *context,
			     struct profile_context_run run);

/* Puts system calls and allocations into their order, which depends on that of the instructions. */
void profile_sort_call_sites(struct profile_region *region);

/* Whether a function is only the module that code without a symbol lies in. */
bool profile_function_is_module(const struct profile *profile, uint32_t function);

/* The function whose source an instruction is of: that which was inlined, else that which it is in. Or PROFILE_NONE. */
uint32_t profile_source_function(const struct profile *profile, const struct profile_insn *insn);

/* Whether a function only leads to another one: a linkage stub, or the dynamic loader's resolver behind it. */
bool profile_function_is_stub(const struct profile *profile, uint32_t function);

/* Totals of one region. */
uint64_t profile_region_executions(const struct profile_region *region);
uint64_t profile_region_iterations(const struct profile_region *region);

/* What a region's instructions are summed up by. */
enum profile_group_by {
	GROUP_BY_FORM,
	GROUP_BY_MNEMONIC,
	GROUP_BY_CATEGORY,
	GROUP_BY_ISA_EXTENSION,
	GROUP_BY_FUNCTION,
	GROUP_BY_FILE, /* of source */
	GROUP_BY_LINE,
	GROUP_BY_COLUMN,  /* of a line: the token */
	GROUP_BY_INLINED, /* function, and the calls inlined in it that lead to the instruction */
};

/* Whether the groups depend on where in the source instructions come from. */
bool profile_group_by_is_source(enum profile_group_by by);

/* One row of a ranking: the forms that a group executed. For GROUP_BY_FORM a row has exactly one part. */
struct profile_group_part {
	uint32_t form;
	uint64_t executions;
	uint64_t iterations;
};

struct profile_group {
	/* Points into the profile or the groups. Instructions without a function: "(no function)". A place in the source:
	 * "/src/a.c:12:7"; instructions of which it is not known, a group for each module: "(no line)". Inlined calls, from
	 * the innermost one outwards: "skip <- parse (a.c:7) <- main (a.c:12)". */
	const char *name;
	uint32_t module;   /* of a function, of inlined calls, or of what has no line; else PROFILE_NONE */
	uint32_t function; /* by source: that of the first instruction, inlined or not, or PROFILE_NONE */
	uint32_t location; /* by source: that of the first instruction, by index; 0: unknown */
	struct profile_group_part *parts;
	size_t n_parts, parts_capacity;
	uint32_t *insns; /* [n_insns] the instructions, by index, ascending */
	size_t n_insns, insns_capacity;
	uint64_t executions, iterations; /* sums of the parts */
};

struct profile_groups {
	struct profile_group *groups; /* only those with executions or iterations; order: first instruction by index */
	size_t n_groups, groups_capacity;
	char **names; /* those that are not in the profile */
	size_t n_names, names_capacity;
};

/* Sums up one region. The result refers to the profile and must not outlive it. */
void profile_group_init(struct profile_groups *groups, const struct profile *profile, uint32_t region,
			enum profile_group_by by);
void profile_group_deinit(struct profile_groups *groups);

#endif
