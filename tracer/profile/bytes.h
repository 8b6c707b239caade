/* The numbers and texts that a saved profile is made of (FORMAT.md, "Numbers"). Private to profile/. */
#ifndef ITRACE_PROFILE_BYTES_H
#define ITRACE_PROFILE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 0, -1, 1, -2 ... as 0, 1, 2, 3 ... and back. */
uint64_t bytes_fold(int64_t value);
int64_t bytes_unfold(uint64_t folded);

struct byte_writer {
	uint8_t *bytes; /* [n_bytes] */
	size_t n_bytes, bytes_capacity;
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
};

void bytes_fail(struct byte_reader *reader, const char *problem);
uint64_t bytes_get_uint(struct byte_reader *reader);
uint64_t bytes_get_limited(struct byte_reader *reader, uint64_t max); /* fails above max */
int64_t bytes_get_int(struct byte_reader *reader);
const uint8_t *bytes_get_raw(struct byte_reader *reader, size_t n_bytes); /* NULL on failure */
char *bytes_get_text(struct byte_reader *reader);			  /* to be freed; "" on failure */

/* The number of items that follow, each of at least item_bytes in the file and memory_bytes in memory. */
size_t bytes_get_number(struct byte_reader *reader, size_t item_bytes, size_t memory_bytes);

/* Deducts n x size from what may still be taken; false, and failure, if that is too much. */
bool bytes_charge(struct byte_reader *reader, size_t n, size_t size);

#endif
