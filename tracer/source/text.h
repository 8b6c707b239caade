/* Source files: their text, line by line, and its checksum. */
#ifndef ITRACE_SOURCE_TEXT_H
#define ITRACE_SOURCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SOURCE_MD5_BYTES 16

struct source_text {
	char *bytes;	    /* the lines, each with a zero byte in place of its end */
	const char **lines; /* [n_lines]; what follows a zero byte in one is lost */
	size_t n_lines, lines_capacity;
	uint8_t md5[SOURCE_MD5_BYTES]; /* of the file as it is, as in DWARF 5 */
	int64_t modified_ns;	       /* since 1970 */
};

/* False when it is no regular file that can be read, or larger than any source; the output is then untouched. */
bool source_text_read(const char *path, struct source_text *text);
void source_text_deinit(struct source_text *text);

/* When a file was last modified, in ns since 1970; INT64_MAX where that cannot be told. */
int64_t source_text_modified(const char *path);

#endif
