/* The program's memory map as the program reads it, from /proc/self/maps or smaps: the translator's own mappings are
 * left out, so that the program executes as many instructions as without it. GNU grep reads the map, and so does
 * glibc's pthread_getattr_np. */
#ifndef ITRACE_ENGINE_TRANSLATE_CONSISTENCY_MAP_FILE_H
#define ITRACE_ENGINE_TRANSLATE_CONSISTENCY_MAP_FILE_H

#include "engine/translate/consistency/code_changes.h"

struct target_regs;
struct task;
struct translator;

/* Reads on: up to n_bytes of a text of mappings in order of address, as many as Linux hands out (fs/seq_file.c).
 * Returns their number. */
size_t map_file_read(struct map_file *file, const char *text, char *bytes, size_t n_bytes);

/* Goes on at a position other than file->position. */
void map_file_seek(struct map_file *file, const char *text, uint64_t position);

void map_file_deinit(struct map_file *file);

/* The system call at task->before was stepped, and nobody has seen its result yet. If it read from such a file,
 * corrects the bytes that were read, and the result in *after. */
void map_files_after_read(struct translator *translator, struct task *task, struct target_regs *after);

/* Forgets all files of the process. */
void map_files_forget(struct translator *translator);

#endif
