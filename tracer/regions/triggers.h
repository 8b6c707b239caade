/* Triggers: the addresses where a region begins or ends, found in the program's modules and planted as breakpoints. */
#ifndef ITRACE_REGIONS_TRIGGERS_H
#define ITRACE_REGIONS_TRIGGERS_H

#include "regions/modules.h"
#include "target/target.h"

/* In the order in which triggers at one address act. A marker comes last, because it moves the program past its NOP. */
enum trigger_kind {
	TRIGGER_STOP,	    /* --stop */
	TRIGGER_FUNCTION,   /* first instruction of --function */
	TRIGGER_START,	    /* --start */
	TRIGGER_ENTRY,	    /* --all: the program's entry point */
	TRIGGER_ALLOCATOR,  /* a function that allocates or frees memory; counts in a visit that begins there */
	TRIGGER_LOADER,	    /* called by the dynamic loader when libraries come or go */
	TRIGGER_LIBC_START, /* __libc_start_main, whose first argument is main, also in a stripped program */
	TRIGGER_END,	    /* PA_END: on its NOP */
	TRIGGER_SCOPE_END,  /* end of the innermost PA_SCOPE; has no region */
	TRIGGER_BEGIN,	    /* PA_BEGIN: on its NOP */
	TRIGGER_SCOPE_BEGIN,
};

struct trigger {
	uint64_t va;
	enum trigger_kind kind;
	uint32_t region; /* from region_id; ALLOCATOR: index of the symbol; LOADER, LIBC_START, SCOPE_END: unused */
};

struct trigger_range {
	const char *start, *stop; /* "0xADDR" or "module+0xOFFSET" */
	const char *name;	  /* of the region */
};

struct trigger_instruction {
	uint64_t start_va, end_va;
	char text[64];
};

/* The triggers to look for. Strings and arrays are borrowed. */
struct trigger_request {
	const char *const *functions; /* [n_functions] names as users type them */
	size_t n_functions;
	const struct function_finder *finder; /* NULL: `functions` are symbols of the file */
	const struct trigger_range *ranges;   /* [n_ranges] */
	size_t n_ranges;
	bool whole_program;
	const char *const *only_regions; /* [n_only_regions] marker regions to plant; none: all */
	size_t n_only_regions;
	const char *const *allocators; /* [n_allocators] symbols of functions that allocate or free memory */
	size_t n_allocators;
	bool scopes; /* plant all PA_SCOPEs, because an end does not name its scope */

	/* Returns the index of the region with this name. Called for every marker, planted or not. is_begin_marker: the
	 * name is that of a PA_BEGIN or PA_SCOPE. */
	uint32_t (*region_id)(void *context, const char *name, bool is_begin_marker);
	/* Finds the instruction that contains the byte at va. Returns false if it is unknown. The pointer may be
	 * NULL: any address is then accepted. */
	bool (*find_instruction)(void *context, const struct module *module, uint64_t va,
				 struct trigger_instruction *insn);
	void *context;
};

#define TRIGGER_MAX_LISTED 12 /* maximum of matches that a message lists; it counts the others */

struct trigger_function {
	bool is_found;
	bool is_indirect;		   /* found as an IFUNC, which has no code of its own */
	size_t n_matches;		   /* number of functions that the name stands for */
	char *matches[TRIGGER_MAX_LISTED]; /* the first ones, each once: "function [module]" */
};

struct trigger_range_state {
	bool has_start, has_stop; /* the address is in mapped code */
};

struct triggers {
	struct trigger *triggers; /* ascending by va, then kind */
	size_t n_triggers, triggers_capacity;
	struct modules modules;
	struct trigger_function *functions; /* [n_functions] as in the request */
	size_t n_functions;
	struct trigger_range_state *ranges; /* as in the request */
};

void triggers_init(struct triggers *triggers, const struct trigger_request *request);
void triggers_deinit(struct triggers *triggers);

/* Forgets all triggers after an exec, which dropped their breakpoints. */
void triggers_reset(struct triggers *triggers);

/* Searches the modules that are new in this memory map and plants the requested triggers. If one trigger cannot be
 * planted, the others are, and *err has the latest failure. */
bool triggers_sync(struct triggers *triggers, const struct trigger_request *request, struct process *process,
		   const struct mapping_list *mappings, struct error *err);

/* Plants function i of the request at an address found at run time. */
bool triggers_add_function(struct triggers *triggers, const struct trigger_request *request, struct process *process,
			   size_t i, uint64_t va, struct error *err);

/* Returns the number of triggers at va. Sets *first to the first of them. */
size_t triggers_at(const struct triggers *triggers, uint64_t va, const struct trigger **first);

/* Checks the syntax of a --start or --stop address. */
bool trigger_address_check(const char *text, struct error *err);

#endif
