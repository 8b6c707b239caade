/* The files whose code is mapped into the traced process. */
#ifndef ITRACE_REGIONS_MODULES_H
#define ITRACE_REGIONS_MODULES_H

#include "elf/file.h"
#include "target/target.h"

struct module {
	char *path;		   /* as in /proc/PID/maps; "[vdso]" */
	uint64_t start_va, end_va; /* all its mappings */
	uint64_t bias;		   /* run-time address minus file_va */
	struct elf_file *file;	   /* NULL: not an ELF file, or unreadable */
	bool is_new;		   /* since the last modules_sync */
};

struct modules {
	struct module *modules; /* in the order in which they appeared */
	size_t n_modules, modules_capacity;
	char *program_path; /* as of the first sync */
};

/* Brings the list up to date with a memory map: new modules are appended and marked, vanished ones dropped. */
void modules_sync(struct modules *modules, const struct mapping_list *mappings, const struct process *process);
void modules_deinit(struct modules *modules);

/* The program itself, or NULL. */
const struct module *modules_program(const struct modules *modules);

/* The module whose range holds va, or NULL. */
const struct module *modules_find(const struct modules *modules, uint64_t va);

#endif
