/* What libdw does not tell of the header of a line table: its size, and the checksums of the source files (DWARF 5, 6.2.4). */
#ifndef ITRACE_SOURCE_LINE_HEADER_H
#define ITRACE_SOURCE_LINE_HEADER_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#define LINE_HEADER_MD5_BYTES 16

struct line_header {
	uint64_t n_bytes;		       /* of the whole table, as it claims; 0: there is none */
	uint8_t (*md5)[LINE_HEADER_MD5_BYTES]; /* [n_md5] by number of the file; NULL: there are none */
	size_t n_md5;
};

/* Reads the table of a unit, whose root this is. What is damaged gives no checksums. */
void line_header_init(struct line_header *header, Dwarf_Die *root);
void line_header_deinit(struct line_header *header);

/* The same of the bytes of a section from the table on. */
void line_header_parse(struct line_header *header, const uint8_t *bytes, size_t n_bytes);

#endif
