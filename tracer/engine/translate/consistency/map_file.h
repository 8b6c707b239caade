/* The program's memory map as it reads it itself, from /proc/self/maps or smaps: what was mapped into it is left out, so that it executes
 * as many instructions as without us. GNU grep reads it, and glibc's pthread_getattr_np does.
 */
#ifndef ITRACE_ENGINE_TRANSLATE_CONSISTENCY_MAP_FILE_H
#define ITRACE_ENGINE_TRANSLATE_CONSISTENCY_MAP_FILE_H

#include <stddef.h>
#include <stdint.h>

/* How far a descriptor of such a file was read. */
struct map_file {
	int fd;
	uint64_t position; /* that its next read begins at, unless the program seeks */
	uint64_t next_va;  /* all mappings that end there or below were read ... */
	char *rest;	   /* ... but for the last bytes of the text of one; NULL: none */
};

/* Reads on: up to n_bytes, as Linux has it (fs/seq_file.c), of a text of mappings, ascending by address. Returns their number. */
size_t map_file_read(struct map_file *file, const char *text, char *bytes, size_t n_bytes);

/* Goes on at a position, where the file does not stand. */
void map_file_seek(struct map_file *file, const char *text, uint64_t position);

void map_file_deinit(struct map_file *file);

#endif
