/* The data model of a run. Engines and recorders fill the profile. Analyses and reports read it.
 *
 * Nothing here refers to a live process. The profile owns all strings and arrays. Arrays follow base/array.h.
 */
#ifndef ITRACE_PROFILE_PROFILE_H
#define ITRACE_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/index.h"
#include "decode/insn.h"

#define PROFILE_NONE UINT32_MAX /* an index of nothing: no module, no function, no region ... */

#define PROFILE_MAX_BUILD_ID_BYTES 64 /* SHA-1 has 20, SHA-256 32 */

/* A file that was mapped into the traced process while its instructions ran. */
struct profile_module {
	char *path;				      /* as the kernel names it; "[vdso]", "[anon]" */
	uint64_t start_va;			      /* of the lowest executed mapping */
	uint64_t end_va;			      /* one past the highest */
	uint64_t bias;				      /* run-time address minus address in the file; 0: unknown */
	uint8_t build_id[PROFILE_MAX_BUILD_ID_BYTES]; /* [n_build_id] */
	uint8_t n_build_id;			      /* 0: no build ID */
	bool is_program;			      /* the executable itself, not a library */
};

struct profile_function {
	char *name;	 /* demangled symbol; for code without a symbol, the module's file name */
	uint32_t module; /* index or PROFILE_NONE */
};

struct profile_file {
	char *path;	    /* from debug information, joined with the compilation directory; usually UTF-8 */
	uint64_t text_hash; /* of the content during the run (source/text.c); 0: the file could not be read */
	bool is_newer;	    /* modified after the program was built, so it may differ from the program's source */
};

/* A call that the compiler replaced by the body of the called function. */
struct profile_inlined {
	uint32_t function; /* index of the called function */
	uint32_t caller;   /* index of the inlined call around this one, lower than its own, or PROFILE_NONE */
	uint32_t file;	   /* of the call: index or PROFILE_NONE */
	uint32_t line;	   /* 0: unknown */
	uint32_t column;   /* 0: unknown */
};

/* A position in the source. */
struct profile_location {
	uint32_t file;	  /* index or PROFILE_NONE */
	uint32_t line;	  /* 0: unknown */
	uint32_t column;  /* 0: unknown */
	uint32_t inlined; /* index of the innermost inlined call around it, or PROFILE_NONE */
};

/* One static instruction: the same bytes at the same address in the same program image. Changed code is a new
 * instruction. */
struct profile_insn {
	uint64_t va;
	uint32_t form;
	uint32_t module;	  /* index or PROFILE_NONE */
	uint32_t function;	  /* index or PROFILE_NONE */
	uint32_t function_offset; /* in bytes, from the function's first instruction */
	uint32_t location;	  /* index; 0: unknown */
	uint8_t length;		  /* in bytes; 0: undecodable */
	uint8_t bytes[INSN_MAX_BYTES];
};

/* A basic block: instructions that ran in succession and are adjacent in memory. stream/stream.h says where a block
 * ends. */
struct profile_block {
	uint32_t first; /* in block_insns */
	uint32_t n_insns;
	uint32_t n_addresses; /* operand addresses (decode/insn_address.h) of all instructions */
};

struct profile_syscall {
	int64_t number;
	bool is_int80; /* the number is of the 32-bit table */
	char *name;    /* "write"; "syscall_9999" when unknown */
	uint64_t count;
};

struct profile_transition {
	uint32_t from, to;
	uint64_t count; /* executions of `to` directly after `from` */
};

struct profile_transitions {
	struct profile_transition *rows; /* [n_rows] each pair of `from` and `to` once, in any order */
	size_t n_rows, rows_capacity;
	struct index index; /* private to counts.c: of rows, by `from` and `to` */
};

/* A memory dependence: a load of bytes of an earlier store. Indices count the operand addresses
 * (decode/insn_address.h) of all instructions of a path. */
struct profile_dependence {
	uint32_t load;	     /* index in this path */
	uint32_t store;	     /* index in the path that ran paths_back paths earlier */
	uint32_t paths_back; /* 0: the same path */
	int32_t offset;	     /* first loaded byte relative to the first stored byte; may be negative */
};

/* Instructions that ran in succession, across taken jumps, calls and returns. recorders/paths.h defines where a path
 * ends. */
struct profile_path {
	size_t first_insn; /* in path_insns */
	size_t first_dependence;
	uint32_t n_insns, n_dependences;
	uint32_t n_addresses; /* as in struct profile_block */
};

/* The level that had the data or the translation of a load that missed the first-level data cache or TLB. */
enum profile_miss {
	MISS_SERVED_BY_L2,
	MISS_SERVED_BY_L3,
	MISS_SERVED_BY_MEMORY,
	MISS_SERVED_BY_STLB,
	MISS_SERVED_BY_PAGE_TABLES,
	N_PROFILE_MISSES,
};

/* A count for each instruction. */
struct profile_tally {
	uint64_t *counts; /* [n_counts] by instruction index; later instructions have count 0 */
	size_t n_counts, counts_capacity;
};

/* Limit of the depth of a call tree, so that recursive functions can walk the tree. */
#define PROFILE_MAX_CALL_DEPTH 4096

/* A calling context: a node of the call tree, entered by a call or a jump to another function. Its runs exclude the
 * contexts that it calls. The context of a recursive call has a number of calls but no runs. Its instructions count in
 * the context of the outermost call of the same function (recursion_of). */
struct profile_context {
	uint32_t parent;	  /* index in the region's contexts, lower than its own; PROFILE_NONE: a root */
	uint32_t site;		  /* the calling instruction, executed in the parent; PROFILE_NONE: a root */
	uint32_t entry;		  /* the first executed instruction of the called function */
	uint32_t recursion_of;	  /* the context that counts the instructions; PROFILE_NONE: this one */
	uint64_t calls;		  /* number of entries; of a root: visits that began there */
	size_t first_run, n_runs; /* in the region's context_runs */
};

/* Instructions with consecutive indices and the same number of executions in one context: a run-length code. */
struct profile_context_run {
	uint32_t first, n_insns; /* instruction indices from `first` on */
	uint64_t executions;	 /* of each; not 0 */
};

/* The system calls with one number, made by one instruction in one context. */
struct profile_syscall_site {
	uint32_t context; /* index in the region's contexts */
	uint32_t insn;
	uint32_t syscall; /* index in the region's syscalls */
	uint64_t count;
};

/* Functions and system calls that allocate or free memory. */
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
bool profile_allocator_frees(enum profile_allocator allocator); /* false for realloc and mremap */

/* The calls of one allocator by one instruction in one context. If allocators call each other, only the outermost call
 * counts. */
struct profile_allocation {
	uint32_t context; /* index in the region's contexts */
	uint32_t insn;	  /* the call */
	enum profile_allocator allocator;
	uint64_t calls;
	uint64_t bytes; /* allocated; if profile_allocator_frees: freed bytes that the region itself had allocated */
	uint64_t kept_calls, kept_bytes; /* allocations that were not freed before the program ended */
};

/* A thread. After a limit on threads, all further threads of one name are combined. */
struct profile_thread {
	char *name;	    /* the kernel's name of the thread, as last seen */
	uint64_t n_threads; /* 1, or the number of threads that were combined */
};

/* A thread's totals in a region. */
struct profile_thread_totals {
	uint32_t thread; /* index */
	uint64_t visits;
	uint64_t executions;
};

/* The counts of one region over all visits, including nested regions and all threads. Signal handlers that ran in it
 * are a separate region with handlers_of set.
 *
 * A per-thread region has the counts of one thread; all_threads_region and thread are set. The per-thread regions of a
 * region add up to the region, including call trees and paths.
 */
struct profile_region {
	char *name;
	uint32_t all_threads_region; /* of a per-thread region: the region over all threads; else PROFILE_NONE */
	uint32_t thread;	     /* of a per-thread region: index of the thread; else PROFILE_NONE */
	uint32_t handlers_of;	     /* index of the region that these signal handlers interrupted, or PROFILE_NONE */
	uint32_t n_markers;	     /* begin markers in the code, reached or not */
	uint64_t visits;	     /* 0: never reached */
	uint64_t visits_cut;	     /* visits in progress when the program or tracing ended; 0 with --all */
	uint64_t visits_left;	     /* visits that ended without an end marker: longjmp, exception, missing PA_END */
	uint64_t unmatched_ends;     /* end markers reached while the region was not active */
	uint64_t tracing_ns;	     /* wall time of the visits, including tracing */
	/* Sorted by thread. They add up to the region. None in a per-thread region. */
	struct profile_thread_totals *thread_totals;
	size_t n_thread_totals, thread_totals_capacity;
	uint64_t *executions;	/* [n_counts] by instruction index */
	uint64_t *iterations;	/* [n_counts] of REP string instructions */
	size_t n_counts;	/* at most profile.n_insns; later instructions have no executions here */
	size_t counts_capacity; /* private to counts.c */
	struct profile_syscall *syscalls;
	size_t n_syscalls, syscalls_capacity;
	/* Transfers of control between instructions: `to` ran directly after `from`, but is not the next instruction in
	 * memory. All other executions of `from` fell through to the next instruction. Signal handlers begin and end
	 * without an edge. */
	struct profile_transitions edges;
	/* Pairs of consecutive paths; none unless profile.has_paths. `from` is PROFILE_NONE at the start of a visit, at
	 * the start and end of a signal handler, if the previous path is unknown, and for new pairs beyond a limit. The
	 * paths of `to` have all executions of the region. */
	struct profile_transitions pairs;
	struct profile_tally mispredicts; /* of branches, by a simulated predictor (costmodels/predictors/branch.h) */
	/* [profile.n_caches][N_PROFILE_MISSES] loads that missed the first level of a simulated cache or TLB, by the
	 * level that had the data or translation. NULL: no misses. */
	struct profile_tally *misses;
	/* The call tree; none unless profile.has_calls. The runs of all contexts add up to the executions. */
	struct profile_context *contexts;
	size_t n_contexts, contexts_capacity;
	struct profile_context_run *context_runs; /* grouped by context, sorted by instruction */
	size_t n_context_runs, context_runs_capacity;
	struct profile_syscall_site *syscall_sites; /* sorted by context, instruction and system call */
	size_t n_syscall_sites, syscall_sites_capacity;
	/* Sorted by context, instruction and allocator. None unless profile.has_memory. */
	struct profile_allocation *allocations;
	size_t n_allocations, allocations_capacity;
};

struct profile_form {
	struct form form;
};

struct profile {
	char **argv; /* NULL-terminated */
	int32_t pid; /* of the process; 0: unknown */
	bool exited; /* false: killed by `signal`, or tracing ended first */
	int exit_status;
	int signal;	  /* 0: none */
	char *engine;	  /* "translate" if translated code ran, else "step" */
	uint64_t wall_ns; /* from launch to end */
	bool has_memory;  /* allocations were recorded */
	bool has_calls;	  /* regions have call trees */
	bool has_edges;	  /* transfers of control were counted; false: no region has edges */
	struct profile_module *modules;
	size_t n_modules, modules_capacity;
	struct profile_function *functions;
	size_t n_functions, functions_capacity;
	struct profile_form *forms;
	size_t n_forms, forms_capacity;
	struct profile_file *files; /* source files */
	size_t n_files, files_capacity;
	struct profile_inlined *inlined;
	size_t n_inlined, inlined_capacity;
	struct profile_location *locations; /* each once; locations[0]: unknown */
	size_t n_locations, locations_capacity;
	struct profile_insn *insns;
	size_t n_insns, insns_capacity;
	struct profile_block *blocks; /* each sequence of instructions once; none without a stream */
	size_t n_blocks, blocks_capacity;
	uint32_t *block_insns; /* instruction indices */
	size_t n_block_insns, block_insns_capacity;
	struct index block_index; /* private to blocks.c: of blocks, by their instructions */
	bool has_paths;		  /* regions have pairs of paths */
	char **caches;		  /* simulated geometries (costmodels/predictors/cache.h) */
	size_t n_caches, caches_capacity;
	bool has_addresses; /* memory dependences are known */
	struct profile_path *paths;
	size_t n_paths, paths_capacity;
	uint32_t *path_insns; /* instruction indices */
	size_t n_path_insns, path_insns_capacity;
	struct profile_dependence *path_dependences;
	size_t n_path_dependences, path_dependences_capacity;
	struct profile_thread *threads; /* in the order in which they first reached a region */
	size_t n_threads, threads_capacity;
	struct profile_region *regions; /* in the order of discovery */
	size_t n_regions, regions_capacity;
	char **notes; /* sentences for readers of the report: "vfork child 123 was not traced" */
	size_t n_notes, notes_capacity;
	/* Private to profile.c. */
	struct index form_index, function_index, file_index, inlined_index, location_index;
};

void profile_init(struct profile *profile);
void profile_deinit(struct profile *profile);

/* The functions below return the index of an item, and add the item if it is new. Indices stay valid. An addition
 * invalidates pointers into the arrays. */
uint32_t profile_intern_form(struct profile *profile, const uint8_t *bytes, size_t n_bytes);
/* Interns a form whose text and bytes are known. */
uint32_t profile_intern_known_form(struct profile *profile, const struct form *form);
/* Interns a form without bytes, such as "(vsyscall)". */
uint32_t profile_intern_named_form(struct profile *profile, const char *text);
uint32_t profile_intern_function(struct profile *profile, const char *name, uint32_t module);
uint32_t profile_intern_file(struct profile *profile, const char *path);
uint32_t profile_intern_inlined(struct profile *profile, const struct profile_inlined *inlined);
uint32_t profile_intern_location(struct profile *profile, const struct profile_location *location);
uint32_t profile_intern_region(struct profile *profile, const char *name, uint32_t handlers_of);
/* Interns the per-thread region of a region. The handlers_of of a per-thread region of signal handlers is a per-thread
 * region, too. */
uint32_t profile_intern_thread_region(struct profile *profile, uint32_t region, uint32_t thread);
/* Interns a block of insns[n_insns], n_insns >= 1. */
uint32_t profile_intern_block(struct profile *profile, const uint32_t *insns, size_t n_insns);

/* Returns insn_count_address_entries() of an instruction; 0 if it cannot be decoded. */
uint32_t profile_insn_n_addresses(const struct profile_insn *insn);

/* The functions below add to a region's counts. */
void profile_count(struct profile *profile, uint32_t region, uint32_t insn, uint64_t executions, uint64_t iterations);
void profile_count_edge(struct profile *profile, uint32_t region, uint32_t from, uint32_t to, uint64_t count);
void profile_count_syscall(struct profile *profile, uint32_t region, int64_t number, bool is_int80, uint64_t count);
void profile_count_pair(struct profile *profile, uint32_t region, uint32_t from, uint32_t to, uint64_t count);
/* Returns "write", or NULL if Linux has no such call. is_int80: the number is of the 32-bit table. */
const char *profile_syscall_name(int64_t number, bool is_int80);
/* profile.caches must be complete before the first miss. */
void profile_count_miss(struct profile *profile, uint32_t region, size_t cache, enum profile_miss miss, uint32_t insn,
			uint64_t count);
uint64_t profile_get_misses(const struct profile_region *region, size_t cache, enum profile_miss miss, uint32_t insn);
void profile_tally_add(struct profile_tally *tally, uint32_t insn, uint64_t count);
uint64_t profile_tally_get(const struct profile_tally *tally, uint32_t insn);
void profile_discard_edges(struct profile *profile);
void profile_note(struct profile *profile, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds to a thread's totals of a region. */
void profile_add_thread_totals(struct profile *profile, uint32_t region, uint32_t thread, uint64_t visits,
			       uint64_t executions);

/* Returns true if there is any per-thread region. */
bool profile_has_thread_regions(const struct profile *profile);

/* Appends a run to a context. Contexts must be filled one after the other, with runs sorted by instruction. */
void profile_add_context_run(struct profile_region *region, struct profile_context *context,
			     struct profile_context_run run);

/* Sorts system calls and allocations. Call it when the order of the instructions is final. */
void profile_sort_call_sites(struct profile_region *region);

/* Returns true if the function stands for code of a module without a symbol. */
bool profile_function_is_module(const struct profile *profile, uint32_t function);

/* Returns the function with the instruction's source: the innermost inlined function or, without one, the instruction's
 * function. PROFILE_NONE: unknown. */
uint32_t profile_source_function(const struct profile *profile, const struct profile_insn *insn);

/* Returns true for a function that ends with a jump to the function that the program calls: a PLT entry, or the
 * resolver of the dynamic loader. */
bool profile_function_is_stub(const struct profile *profile, uint32_t function);

/* Totals of one region. */
uint64_t profile_region_executions(const struct profile_region *region);
uint64_t profile_region_iterations(const struct profile_region *region);

#endif
