/* The files whose code is mapped into the traced process. */
#ifndef ITRACE_REGIONS_MODULES_H
#define ITRACE_REGIONS_MODULES_H

#include "elf/file.h"
#include "target/target.h"

struct module {
	char *path;		   /* as in /proc/PID/maps; "[vdso]" */
	uint64_t start_va, end_va; /* of all its mappings */
	uint64_t bias;		   /* run-time address minus file_va */
	struct elf_file *file;	   /* NULL: not an ELF file, or unreadable */
	bool is_new;		   /* appeared in the last modules_sync */
};

struct modules {
	struct module *modules; /* in the order of their appearance */
	size_t n_modules, modules_capacity;
	char *program_path; /* as of the first sync */
};

/* Updates the list from a memory map: appends and marks new modules, drops vanished ones. */
void modules_sync(struct modules *modules, const struct mapping_list *mappings, const struct process *process);
void modules_deinit(struct modules *modules);

/* Returns the program itself, or NULL. */
const struct module *modules_program(const struct modules *modules);

/* Returns the module with va in its range, or NULL. */
const struct module *modules_find(const struct modules *modules, uint64_t va);

#endif
