/* Writes and reads numbers, indices and texts in columns. One function serializes a table in both directions.
 *
 * Each io_ function takes the value of a field. When writing, the function appends the value to a column and returns
 * the value. When reading, it ignores the argument and returns the next value of the column. Both directions check the
 * value. The first problem is kept. After a problem each number reads as 0, each text as "" and each index as
 * PROFILE_NONE.
 */
#ifndef ITRACE_SAVEFILE_IO_H
#define ITRACE_SAVEFILE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"
#include "savefile/columns.h"

struct io_column {
	uint8_t *bytes; /* writing: owned; reading: borrowed from the content */
	size_t n_bytes, bytes_capacity;
	size_t next; /* reading: offset of the next value */
};

struct io {
	bool is_reading;
	struct io_column columns[N_COLUMNS];
	size_t n_content_bytes;	  /* limit for the rows of a table */
	size_t memory_left_bytes; /* reading: memory that the profile may still use */
	const char *problem;	  /* a constant text; NULL: no problem */
};

/* Limit of the memory of a profile. Each step of a loop whose length comes from the file counts as one byte. */
#ifndef IO_MAX_MEMORY_BYTES /* A fuzzer sets a lower limit. */
#define IO_MAX_MEMORY_BYTES ((size_t)2 << 30)
#endif

void io_begin_writing(struct io *io);
/* Returns the content of a file: the number of columns, the length of each, and the columns. */
uint8_t *io_end_writing(struct io *io, size_t *n_bytes); /* the caller frees the result */

/* Borrows the content until io_end_reading(). */
void io_begin_reading(struct io *io, const uint8_t *content, size_t n_bytes);
void io_end_reading(struct io *io); /* unread bytes of a column are a problem */

/* Sets io->problem unless an earlier problem is set. */
void io_fail(struct io *io, const char *problem);

/* Reading: deducts n * size from memory_left_bytes. Returns false and reports a problem if that is too much. */
bool io_charge(struct io *io, size_t n, size_t size);

uint64_t io_uint(struct io *io, enum column column, uint64_t value, uint64_t max);

/* A signed number of n_bytes, 1 to 8. */
int64_t io_int(struct io *io, enum column column, int64_t value, size_t n_bytes);

/* A number, stored as the difference from `expected`, modulo 2^64. A value above max is a problem. */
uint64_t io_difference(struct io *io, enum column column, uint64_t value, uint64_t expected, uint64_t max);

/* An index below n, or PROFILE_NONE, stored as the difference from `expected`. */
uint32_t io_index(struct io *io, enum column column, uint32_t index, uint32_t expected, size_t n);

void io_bytes(struct io *io, enum column column, void *bytes, size_t n_bytes);

/* A text without zero bytes. When reading, the returned text points into the content. */
const char *io_text(struct io *io, enum column column, const char *text);

/* The number of rows of a table. Reading allocates zeroed rows and returns them. Each row must have at least one byte
 * in some column. */
void *io_rows(struct io *io, enum column column, void *rows, size_t *n_rows, size_t *capacity, size_t row_bytes);

/* These macros take a field as the value and set it to the result. */
#define IO_UINT(io, column, field, max) ((field) = (__typeof__(field))io_uint(io, column, (uint64_t)(field), max))
#define IO_INT(io, column, field) ((field) = (__typeof__(field))io_int(io, column, field, sizeof(field)))
#define IO_COUNT(io, column, field) IO_UINT(io, column, field, INT64_MAX) /* reports print counts as signed numbers */
#define IO_DIFFERENCE(io, column, field, expected) \
	((field) = (__typeof__(field))io_difference(io, column, field, expected, (__typeof__(field))-1))
#define IO_INDEX(io, column, field, expected, n) ((field) = io_index(io, column, field, expected, n))
#define IO_TEXT(io, column, field) io_text_field(io, column, &(field))
#define IO_ROWS(io, column, owner, rows)                                                                   \
	((owner)->rows = io_rows(io, column, (owner)->rows, &(owner)->n_##rows, &(owner)->rows##_capacity, \
				 sizeof(*(owner)->rows)))

/* An index that must not be PROFILE_NONE. */
#define IO_VALID_INDEX(io, column, field, expected, n) \
	(IO_INDEX(io, column, field, expected, n), io_require(io, (field) != PROFILE_NONE, "an index is missing"))

void io_text_field(struct io *io, enum column column, char **text); /* writes NULL as "" */
/* Calls io_fail() unless the condition is true. */
void io_require(struct io *io, bool condition, const char *problem);

#endif
