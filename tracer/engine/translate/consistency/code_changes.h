/* The data of the files in consistency/. */
#ifndef ITRACE_ENGINE_TRANSLATE_CONSISTENCY_CODE_CHANGES_H
#define ITRACE_ENGINE_TRANSLATE_CONSISTENCY_CODE_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/va_map.h"
#include "engine/translate/consistency/map_file.h"

struct code_changes {
	bool must_verify;     /* any code may have changed: compare all pages before a thread enters translated code */
	bool has_suspended;   /* some pages were suspended after the last suspend_check_pages() */
	bool has_protected;   /* some pages are write-protected (write_protect.h) */
	bool has_shared_code; /* some code in shared memory was translated (shared_mapping.h) */
	bool has_forked;      /* another process may map the program's shared memory */
	bool has_memory_file; /* the program has a /proc/PID/mem open */
	bool steps_writes;    /* system calls that write to the program's memory are stepped */
	bool steps_madvise;   /* madvise is stepped */
	bool steps_sigmask;   /* rt_sigprocmask is stepped */
};

/* Files in which the program can read its memory map (map_files.h). */
struct map_files {
	bool are_watched; /* the program may have one open, so reads are stepped */
	struct map_file *files;
	size_t n_files, files_capacity;
};

/* Addresses that translated code must not execute (stop_addresses.c). */
struct stop_addresses {
	struct va_map at;      /* addresses at which a visit may end; the values have no meaning */
	uint64_t *breakpoints; /* [n_breakpoints] ascending: those of the process, as of breakpoints_version */
	size_t n_breakpoints, breakpoints_capacity;
	uint32_t breakpoints_version; /* process->breakpoints_version when `breakpoints` was copied */
	size_t n_sections;	      /* restartable sequences known so far, of engine->sections */
};

#endif
