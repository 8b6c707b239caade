/* Mutates one column of a saved run at a time and corrects its length. A mutation of arbitrary bytes rarely passes
 * the check of the columns' lengths. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "savefile/io.h"

/* Provided by libFuzzer. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size,
				 uint8_t *out, size_t max_size, unsigned seed);

/* Replaces a column. Returns the new size, or 0 if it does not fit. */
static size_t replace(const struct io *from, size_t column, const uint8_t *bytes, size_t n_bytes, uint8_t *out,
		      size_t max_size)
{
	struct io to;
	uint8_t *content;
	size_t n_content;

	io_begin_writing(&to);
	for (size_t i = 0; i < N_COLUMNS; i++) {
		if (i == column)
			io_bytes(&to, (enum column)i, (void *)bytes, n_bytes);
		else
			io_bytes(&to, (enum column)i, from->columns[i].bytes, from->columns[i].n_bytes);
	}
	content = io_end_writing(&to, &n_content);
	if (n_content <= max_size)
		memcpy(out, content, n_content);
	free(content);
	return n_content <= max_size ? n_content : 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	size_t column = seed / 16 % N_COLUMNS, room = max_size - size, n_column, n_bytes;
	struct io io;
	uint8_t *bytes, *copy;

	io_begin_reading(&io, data, size);
	if (io.problem || seed % 16 == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	n_column = io.columns[column].n_bytes;
	bytes = malloc(n_column + room + 1);
	copy = malloc(size);
	if (!bytes || !copy)
		abort();
	memcpy(bytes, io.columns[column].bytes, n_column);
	n_column = LLVMFuzzerMutate(bytes, n_column, n_column + room);
	/* The columns point into the memory that is written. */
	memcpy(copy, data, size);
	io_begin_reading(&io, copy, size);
	n_bytes = replace(&io, column, bytes, n_column, data, max_size);
	free(bytes);
	free(copy);
	return n_bytes > 0 ? n_bytes : LLVMFuzzerMutate(data, size, max_size);
}

/* Replaces a column by one of the other input. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size,
				 uint8_t *out, size_t max_size, unsigned seed)
{
	size_t column = seed % N_COLUMNS;
	struct io io, from;

	io_begin_reading(&io, data, size);
	io_begin_reading(&from, other, other_size);
	if (io.problem || from.problem)
		return 0;
	return replace(&io, column, from.columns[column].bytes, from.columns[column].n_bytes, out, max_size);
}
