/* The text of /proc/self/maps or smaps as the program reads it, without the mappings of the code cache. The program
 * then executes as many instructions as without itrace. GNU grep and glibc's pthread_getattr_np read these files. */
#ifndef ITRACE_ENGINE_TRANSLATE_CONSISTENCY_MAP_FILE_H
#define ITRACE_ENGINE_TRANSLATE_CONSISTENCY_MAP_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The position of a descriptor of such a file. */
struct map_file {
	int fd;
	uint64_t position; /* position of its next read, unless the program seeks */
	uint64_t next_va;  /* the program has read the mappings that end at or below this address, except `rest` */
	char *rest;	   /* the bytes of the latest of these mappings that were not read; NULL: none */
};

/* Reads up to n_bytes from a text of mappings, ascending by address, as Linux does (fs/seq_file.c). Returns the
 * number of bytes read. */
size_t map_file_read(struct map_file *file, const char *text, char *bytes, size_t n_bytes);

void map_file_seek(struct map_file *file, const char *text, uint64_t position);

void map_file_deinit(struct map_file *file);

/* Removes the mappings for which is_removed() is true from the text. */
void map_file_remove(char *text, bool (*is_removed)(const void *context, uint64_t start_va, uint64_t end_va),
		     const void *context);

#endif
