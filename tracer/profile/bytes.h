/* The numbers and texts that a saved profile is made of (FORMAT.md, "Numbers"). They are written plainly, a byte or some each; or
 * with a coder, in as many bits as they come unexpected. Private to profile/. */
#ifndef ITRACE_PROFILE_BYTES_H
#define ITRACE_PROFILE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/coder.h"

/* 0, -1, 1, -2 ... as 0, 1, 2, 3 ... and back. */
uint64_t bytes_fold(int64_t value);
int64_t bytes_unfold(uint64_t folded);

struct byte_writer {
	uint8_t *bytes; /* [n_bytes] */
	size_t n_bytes, bytes_capacity;
	struct coder *coder; /* NULL: what is put is appended to bytes; else it takes all */
	uint64_t recent[2];  /* numbers put without a hint; private */
};

void bytes_put_uint(struct byte_writer *writer, uint64_t value);
void bytes_put_int(struct byte_writer *writer, int64_t value);
void bytes_put_raw(struct byte_writer *writer, const void *bytes, size_t n_bytes);
void bytes_put_text(struct byte_writer *writer, const char *text);

/* Reads what may be damaged or hostile. What goes wrong first stays in `problem`; from then on every value is 0. */
struct byte_reader {
	const uint8_t *at, *end;
	size_t memory_left_bytes; /* what the values read may still take in memory */
	const char *problem;	  /* NULL: none; a constant */
	struct coder *coder;	  /* NULL: values are taken from `at`; else from it */
	uint64_t max_decisions;	  /* of the coder */
	uint64_t recent[2];	  /* numbers got without a hint; private */
};

void bytes_fail(struct byte_reader *reader, const char *problem);
uint64_t bytes_get_uint(struct byte_reader *reader);
uint64_t bytes_get_limited(struct byte_reader *reader, uint64_t max); /* fails above max */
int64_t bytes_get_int(struct byte_reader *reader);
void bytes_get_raw(struct byte_reader *reader, void *bytes, size_t n_bytes); /* zeros on failure */
char *bytes_get_text(struct byte_reader *reader);			     /* to be freed; "" on failure */

/* The number of items that follow, each of at least item_bytes in a plain file and memory_bytes in memory. */
size_t bytes_get_number(struct byte_reader *reader, size_t item_bytes, size_t memory_bytes);

/* Deducts n x size from what may still be taken; false, and failure, if that is too much. */
bool bytes_charge(struct byte_reader *reader, size_t n, size_t size);

/* For what writing and reading do alike: one of them is NULL. Each function writes the value and returns it, or ignores the value
 * and returns what it reads, which may be anything. */
struct bytes_io {
	struct byte_writer *writer;
	struct byte_reader *reader;
};

uint64_t bytes_io_uint(const struct bytes_io *io, const struct hint *hint, uint64_t value);
int64_t bytes_io_int(const struct bytes_io *io, const struct hint *hint, int64_t value);
uint8_t bytes_io_byte(const struct bytes_io *io, const struct hint *hint, uint8_t value);

#endif
