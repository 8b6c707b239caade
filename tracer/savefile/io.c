#include "savefile/io.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define UINT_MAX_BYTES 10 /* 64 bits in groups of 7 */

void io_fail(struct io *io, const char *problem)
{
	if (!io->problem)
		io->problem = problem;
}

void io_require(struct io *io, bool condition, const char *problem)
{
	if (!condition)
		io_fail(io, problem);
}

bool io_charge(struct io *io, size_t n, size_t size)
{
	if (!io->is_reading)
		return true;
	if (n > io->memory_left_bytes / size) {
		io_fail(io, "it needs too much memory");
		return false;
	}
	io->memory_left_bytes -= n * size;
	return true;
}

static void put_bytes(struct io_column *column, const void *bytes, size_t n_bytes)
{
	if (!n_bytes)
		return;
	column->bytes = array_grow(column->bytes, &column->bytes_capacity, column->n_bytes + n_bytes, 1);
	memcpy(column->bytes + column->n_bytes, bytes, n_bytes);
	column->n_bytes += n_bytes;
}

static void put_uint(struct io_column *column, uint64_t value)
{
	uint8_t bytes[UINT_MAX_BYTES];
	size_t n = 0;

	for (; value > 0x7f; value >>= 7)
		bytes[n++] = (uint8_t)(value | 0x80);
	bytes[n++] = (uint8_t)value;
	put_bytes(column, bytes, n);
}

/* LEB128: 7 bits a byte, low ones first. */
static uint64_t get_uint(struct io *io, struct io_column *column)
{
	uint64_t value = 0;

	/* The common case: a number below 128. */
	if (!io->problem && column->next < column->n_bytes && column->bytes[column->next] <= 0x7f)
		return column->bytes[column->next++];

	for (unsigned shift = 0; !io->problem; shift += 7) {
		uint8_t byte;

		if (column->next == column->n_bytes) {
			io_fail(io, "a column ends too early");
			break;
		}
		byte = column->bytes[column->next++];
		if (shift == 63 && byte > 1) {
			io_fail(io, "a number has more than 64 bits");
			break;
		}
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte <= 0x7f)
			return value;
	}
	return 0;
}

uint64_t io_uint(struct io *io, enum column column, uint64_t value, uint64_t max)
{
	if (io->is_reading)
		value = get_uint(io, &io->columns[column]);
	else
		put_uint(&io->columns[column], value);
	if (value <= max)
		return value;
	io_fail(io, "a number is out of range");
	return 0;
}

/* Zigzag: 0, -1, 1, -2 ... become 0, 1, 2, 3 ... */
int64_t io_int(struct io *io, enum column column, int64_t value, size_t n_bytes)
{
	uint64_t folded = (uint64_t)value << 1 ^ (uint64_t)(value >> 63);

	folded = io_uint(io, column, folded, UINT64_MAX >> (64 - 8 * n_bytes));
	return (int64_t)(folded >> 1 ^ -(folded & 1));
}

uint64_t io_difference(struct io *io, enum column column, uint64_t value, uint64_t expected, uint64_t max)
{
	value = expected + (uint64_t)io_int(io, column, (int64_t)(value - expected), sizeof(value));
	if (value <= max)
		return value;
	io_fail(io, "a number is out of range");
	return 0;
}

uint32_t io_index(struct io *io, enum column column, uint32_t index, uint32_t expected, size_t n)
{
	/* PROFILE_NONE becomes 0, index i becomes i + 1. */
	return (uint32_t)io_difference(io, column, (uint32_t)(index + 1), (uint32_t)(expected + 1), n) - 1;
}

void io_bytes(struct io *io, enum column column, void *bytes, size_t n_bytes)
{
	struct io_column *from = &io->columns[column];

	if (!io->is_reading) {
		put_bytes(from, bytes, n_bytes);
		return;
	}
	if (n_bytes > from->n_bytes - from->next)
		io_fail(io, "a column ends too early");
	if (io->problem)
		return;
	memcpy(bytes, from->bytes + from->next, n_bytes);
	from->next += n_bytes;
}

const char *io_text(struct io *io, enum column column, const char *text)
{
	struct io_column *from = &io->columns[column];
	const uint8_t *end;

	if (!io->is_reading) {
		put_bytes(from, text, strlen(text) + 1);
		return text;
	}
	if (io->problem)
		return "";
	end = from->next < from->n_bytes ? memchr(from->bytes + from->next, 0, from->n_bytes - from->next) : NULL;
	if (!end) {
		io_fail(io, "a column ends too early");
		return "";
	}
	text = (const char *)from->bytes + from->next;
	from->next = (size_t)(end - from->bytes) + 1;
	return text;
}

void io_text_field(struct io *io, enum column column, char **text)
{
	const char *value = io_text(io, column, *text ? *text : "");

	if (io->is_reading && io_charge(io, strlen(value) + 1, 1))
		*text = xstrdup(value);
}

void *io_rows(struct io *io, enum column column, void *rows, size_t *n_rows, size_t *capacity, size_t row_bytes)
{
	size_t n = io_uint(io, column, *n_rows, io->n_content_bytes);

	if (!io->is_reading || !io_charge(io, n, row_bytes))
		return rows;
	free(rows);
	*n_rows = *capacity = n;
	return n ? xcalloc(n, row_bytes) : NULL;
}

void io_begin_writing(struct io *io)
{
	*io = (struct io){.n_content_bytes = SIZE_MAX};
}

uint8_t *io_end_writing(struct io *io, size_t *n_bytes)
{
	struct io_column content = {0};

	put_uint(&content, N_COLUMNS);
	for (size_t i = 0; i < N_COLUMNS; i++)
		put_uint(&content, io->columns[i].n_bytes);
	for (size_t i = 0; i < N_COLUMNS; i++) {
		put_bytes(&content, io->columns[i].bytes, io->columns[i].n_bytes);
		free(io->columns[i].bytes);
	}
	*n_bytes = content.n_bytes;
	return content.bytes;
}

void io_begin_reading(struct io *io, const uint8_t *content, size_t n_bytes)
{
	struct io_column all = {.bytes = (uint8_t *)content, .n_bytes = n_bytes};

	*io = (struct io){.is_reading = true, .n_content_bytes = n_bytes, .memory_left_bytes = IO_MAX_MEMORY_BYTES};
	if (get_uint(io, &all) != N_COLUMNS)
		io_fail(io, "its number of columns is wrong");
	for (size_t i = 0; i < N_COLUMNS; i++)
		io->columns[i].n_bytes = get_uint(io, &all);
	for (size_t i = 0; i < N_COLUMNS && !io->problem; i++) {
		if (io->columns[i].n_bytes > n_bytes - all.next)
			io_fail(io, "a column ends too early");
		io->columns[i].bytes = all.bytes + all.next;
		all.next += io->columns[i].n_bytes;
	}
	if (!io->problem && all.next < n_bytes)
		io_fail(io, "bytes are left over");
}

void io_end_reading(struct io *io)
{
	for (size_t i = 0; i < N_COLUMNS; i++)
		if (io->columns[i].next < io->columns[i].n_bytes)
			io_fail(io, "bytes are left over");
}
