/* The data model of a run. Engines and recorders fill it, and everything downstream reads it.
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

#define PROFILE_NONE UINT32_MAX /* no such module, function or region */

#define PROFILE_MAX_BUILD_ID_BYTES 64 /* SHA-1 has 20, SHA-256 32 */

/* A file that was mapped into the traced process while its instructions ran. */
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
	char *name;	 /* demangled symbol; for code without a symbol, the module's file name */
	uint32_t module; /* index or PROFILE_NONE */
};

struct profile_file {
	char *path;	    /* from debug information, joined with the compilation directory; usually UTF-8 */
	uint64_t text_hash; /* of the content during the run (source/text.c); 0: it could not be read */
	bool is_newer;	    /* modified after the program was built, so it may differ from the program's source */
};

/* A call that the compiler replaced by the body of the called function. */
struct profile_inlined {
	uint32_t function; /* index of the called function */
	uint32_t caller;   /* the inlined call around it, of a lower index; PROFILE_NONE: the instruction's function */
	uint32_t file;	   /* of the call: index or PROFILE_NONE */
	uint32_t line;	   /* 0: unknown */
	uint32_t column;   /* 0: unknown */
};

/* A position in the source. */
struct profile_location {
	uint32_t file;	  /* index or PROFILE_NONE */
	uint32_t line;	  /* 0: unknown */
	uint32_t column;  /* 0: unknown */
	uint32_t inlined; /* the innermost inlined call that contains it: index or PROFILE_NONE */
};

/* One static instruction: the same bytes at the same address in the same program image. Changed code is a new
 * instruction. */
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

/* A basic block: instructions that ran in succession and are adjacent in memory. stream/stream.h says where a block
 * ends. */
struct profile_block {
	uint32_t first; /* in block_insns */
	uint32_t n_insns;
	uint32_t n_addresses; /* number of operand addresses (decode/insn_address.h) of all its instructions */
};

struct profile_syscall {
	int64_t number;
	bool is_int80; /* the number is of the 32-bit table */
	char *name;    /* "write"; "syscall_9999" when unknown */
	uint64_t count;
};

/* How often `to` directly followed `from`. */
struct profile_transition {
	uint32_t from, to;
	uint64_t count;
};

struct profile_transitions {
	struct profile_transition *rows; /* each (from, to) once, in any order */
	size_t n_rows, rows_capacity;
	struct index index; /* private to counts.c: of rows by (from, to) */
};

/* A memory dependence: a load of bytes of an earlier store, as addresses show. Both are numbers of operand addresses
 * (decode/insn_address.h), counted from 0 over all instructions of a path. */
struct profile_dependence {
	uint32_t load;	     /* in this path */
	uint32_t store;	     /* in the path that ran paths_back paths earlier */
	uint32_t paths_back; /* 0: the same path */
	int32_t offset;	     /* first loaded byte relative to the first stored byte; may be negative */
};

/* Instructions that ran in succession, across taken jumps, calls and returns: one iteration of a loop, or a piece of
 * other code (recorders/paths.h). */
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
	uint64_t *counts; /* by instruction index; 0 for those beyond */
	size_t n_counts, counts_capacity;
};

/* The depth of a call tree is bounded, so that recursive code of itrace can walk it. */
#define PROFILE_MAX_CALL_DEPTH 4096

/* A calling context: a node of the call tree, entered by a call or a jump to another function. Its runs are its self
 * counts: they exclude the calls that it makes. A recursive call has a node too, with its number of calls, but its
 * instructions count for the node of the same function further up (recursion_of). So on each path down the tree, only
 * one node counts the instructions of a function. */
struct profile_context {
	uint32_t parent;	  /* index in the region's contexts, lower than its own; PROFILE_NONE: a root */
	uint32_t site;		  /* the calling instruction, executed in the parent; PROFILE_NONE: a root */
	uint32_t entry;		  /* the first executed instruction; its function is the called one */
	uint32_t recursion_of;	  /* the context above that counts its instructions; PROFILE_NONE: itself */
	uint64_t calls;		  /* number of entries; for a root, how often the region began there */
	size_t first_run, n_runs; /* in the region's context_runs */
};

/* Instructions with consecutive indices and the same number of executions in one context (as in run-length coding). */
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
bool profile_allocator_frees(enum profile_allocator allocator); /* true for those that only free */

/* The calls of one allocator by one instruction in one context. If allocators call each other, the outermost one
 * counts. */
struct profile_allocation {
	uint32_t context; /* index in the region's contexts */
	uint32_t insn;	  /* the call */
	enum profile_allocator allocator;
	uint64_t calls;
	uint64_t bytes; /* bytes allocated; for functions that free: bytes freed that the region itself had allocated */
	uint64_t kept_calls, kept_bytes; /* of the allocations, those not freed before the program ended */
};

/* A thread, or all further threads of one name when there were too many to tell apart. */
struct profile_thread {
	char *name;	    /* the kernel's name for it, as last seen */
	uint64_t n_threads; /* 1, or the number of threads that were combined */
};

/* A thread's totals in a region. */
struct profile_thread_totals {
	uint32_t thread; /* index */
	uint64_t visits;
	uint64_t executions;
};

/* The counts of one region over all visits, including nested regions and all threads. Signal handlers that ran in it
 * are a region of their own, whose handlers_of names it.
 *
 * The counts of one thread may be a region as well, a per-thread region: its all_threads_region and thread are set. The
 * per-thread regions of a region add up to it, including call trees and paths.
 */
struct profile_region {
	char *name;
	uint32_t all_threads_region; /* index of the region over all threads; PROFILE_NONE: this is one */
	uint32_t thread;	     /* the thread of a per-thread region; else PROFILE_NONE */
	uint32_t handlers_of;	     /* index of the region that these signal handlers interrupted, or PROFILE_NONE */
	uint32_t n_markers;	     /* begin markers in the code, reached or not */
	uint64_t visits;	     /* 0: never reached */
	uint64_t visits_cut;	     /* ended with the program, not by an end marker (--all: not counted here) */
	uint64_t visits_left;	     /* left without an end: longjmp, exception, missing PA_END */
	uint64_t unmatched_ends;     /* end markers reached while the region was not active */
	uint64_t tracing_ns;	     /* wall time of its visits, including tracing */
	struct profile_thread_totals
		*thread_totals; /* ascending by thread; none in a per-thread region. They add up to the region */
	size_t n_thread_totals, thread_totals_capacity;
	uint64_t *executions;	/* [n_counts], by instruction index */
	uint64_t *iterations;	/* [n_counts], of REP string instructions */
	size_t n_counts;	/* at most profile.n_insns; later instructions have no executions here */
	size_t counts_capacity; /* private to counts.c */
	struct profile_syscall *syscalls;
	size_t n_syscalls, syscalls_capacity;
	/* Transfers of control between instructions: `to` ran right after `from`, but is not the next instruction in
	 * memory. All other executions of `from` fell through to that one. Signal handlers begin and end without an
	 * edge. */
	struct profile_transitions edges;
	/* Pairs of consecutive paths; none unless profile.has_paths. `from` is PROFILE_NONE if a visit began, if a
	 * signal handler began or ended, or if it is unknown. Together the paths execute the instructions of the
	 * region. */
	struct profile_transitions pairs;
	struct profile_tally mispredicts; /* of branches, by a simulated predictor (costmodels/predictors/branch.h) */
	/* [profile.n_caches][N_PROFILE_MISSES] loads that missed the first level of a simulated cache or TLB, by the
	 * level that had the data or translation; NULL: none. */
	struct profile_tally *misses;
	/* The call tree; none unless profile.has_calls. All runs add up to the executions of the region. */
	struct profile_context *contexts;
	size_t n_contexts, contexts_capacity;
	struct profile_context_run *context_runs; /* grouped by context, ascending by instruction */
	size_t n_context_runs, context_runs_capacity;
	struct profile_syscall_site *syscall_sites; /* ascending by context, instruction and system call */
	size_t n_syscall_sites, syscall_sites_capacity;
	struct profile_allocation
		*allocations; /* ascending by context, instruction and allocator; none unless has_memory */
	size_t n_allocations, allocations_capacity;
};

/* An instruction form that occurs; interned. */
struct profile_form {
	struct form form;
};

struct profile {
	char **argv; /* NULL-terminated */
	int32_t pid; /* of the process; 0: not known */
	bool exited; /* false: killed by `signal`, or tracing ended before the program */
	int exit_status;
	int signal;	  /* 0: none */
	char *engine;	  /* the engine that counted: "step", or "translate" if it ran any part */
	uint64_t wall_ns; /* from launch to end */
	bool has_memory;  /* allocations were recorded */
	bool has_calls;	  /* regions have call trees */
	bool has_edges;	  /* transfers of control were counted; else no region has edges */
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
	struct profile_location *locations; /* each once; locations[0] is the unknown one */
	size_t n_locations, locations_capacity;
	struct profile_insn *insns;
	size_t n_insns, insns_capacity;
	struct profile_block *blocks; /* each sequence of instructions once; none if no stream was recorded */
	size_t n_blocks, blocks_capacity;
	uint32_t *block_insns; /* instruction indices */
	size_t n_block_insns, block_insns_capacity;
	struct index block_index; /* private to blocks.c: by their instructions */
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
	char **notes; /* sentences about this run for the reader, e.g. "vfork child 123 was not traced" */
	size_t n_notes, notes_capacity;
	/* Private to profile.c. */
	struct index form_index, function_index, file_index, inlined_index, location_index;
};

void profile_init(struct profile *profile);
void profile_deinit(struct profile *profile);

/* Each finds an item or adds it. Returned indices stay valid; pointers into the arrays do not survive the next
 * addition. */
uint32_t profile_intern_form(struct profile *profile, const uint8_t *bytes, size_t n_bytes);
uint32_t profile_intern_known_form(struct profile *profile, const struct form *form);
uint32_t profile_intern_named_form(struct profile *profile,
				   const char *text); /* for a form without bytes: "(vsyscall)" */
uint32_t profile_intern_function(struct profile *profile, const char *name, uint32_t module);
uint32_t profile_intern_file(struct profile *profile, const char *path);
uint32_t profile_intern_inlined(struct profile *profile, const struct profile_inlined *inlined);
uint32_t profile_intern_location(struct profile *profile, const struct profile_location *location);
uint32_t profile_intern_region(struct profile *profile, const char *name, uint32_t handlers_of);
/* The per-thread region of a region. For a region of signal handlers, its handlers_of is the per-thread region of the
 * interrupted region. */
uint32_t profile_intern_thread_region(struct profile *profile, uint32_t region, uint32_t thread);
uint32_t profile_intern_block(struct profile *profile, const uint32_t *insns, size_t n_insns); /* at least 1 */

/* Number of operand addresses (decode/insn_address.h) of an instruction; 0 if it does not decode. */
uint32_t profile_insn_n_addresses(const struct profile_insn *insn);

/* Adds to a region's counts, growing them to hold `insn`. */
void profile_count(struct profile *profile, uint32_t region, uint32_t insn, uint64_t executions, uint64_t iterations);
void profile_count_edge(struct profile *profile, uint32_t region, uint32_t from, uint32_t to, uint64_t count);
void profile_count_syscall(struct profile *profile, uint32_t region, int64_t number, bool is_int80, uint64_t count);
void profile_count_pair(struct profile *profile, uint32_t region, uint32_t from, uint32_t to, uint64_t count);
/* "write"; NULL if Linux has no such call. is_int80: the number is of the 32-bit table. */
const char *profile_syscall_name(int64_t number, bool is_int80);
/* All caches must be known before the first miss. */
void profile_count_miss(struct profile *profile, uint32_t region, size_t cache, enum profile_miss miss, uint32_t insn,
			uint64_t count);
uint64_t profile_miss_of(const struct profile_region *region, size_t cache, enum profile_miss miss, uint32_t insn);
void profile_tally_add(struct profile_tally *tally, uint32_t insn, uint64_t count);
uint64_t profile_tally_get(const struct profile_tally *tally, uint32_t insn);
void profile_forget_edges(struct profile *profile);
void profile_note(struct profile *profile, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds to a thread's totals of a region. */
void profile_add_thread_totals(struct profile *profile, uint32_t region, uint32_t thread, uint64_t visits,
			       uint64_t executions);

/* True if there is any per-thread region. */
bool profile_has_thread_regions(const struct profile *profile);

/* Appends a run to a context: all runs of one context, ascending, then those of the next. */
void profile_add_context_run(struct profile_region *region, struct profile_context *context,
			     struct profile_context_run run);

/* Sorts system calls and allocations; call it when the order of the instructions is final. */
void profile_sort_call_sites(struct profile_region *region);

/* True if the code has no symbol, and the function only stands for its module. */
bool profile_function_is_module(const struct profile *profile, uint32_t function);

/* The function whose source an instruction comes from: the inlined one, or its own; PROFILE_NONE if unknown. */
uint32_t profile_source_function(const struct profile *profile, const struct profile_insn *insn);

/* True if a function only leads to another one: a linkage stub, or the dynamic loader's resolver behind it. */
bool profile_function_is_stub(const struct profile *profile, uint32_t function);

/* Totals of one region. */
uint64_t profile_region_executions(const struct profile_region *region);
uint64_t profile_region_iterations(const struct profile_region *region);

#endif
