#include "profile/bytes.h"

#include <string.h>

#include "base/array.h"

/* An allocation of its own takes about so much more than its content. */
#define ALLOCATION_BYTES 32

void bytes_put_uint(struct byte_writer *writer, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*ARRAY_ADD(writer, bytes) = (uint8_t)(value | 0x80);
	*ARRAY_ADD(writer, bytes) = (uint8_t)value;
}

uint64_t bytes_fold(int64_t value)
{
	return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

int64_t bytes_unfold(uint64_t folded)
{
	return (int64_t)(folded >> 1 ^ (folded & 1 ? UINT64_MAX : 0));
}

void bytes_put_int(struct byte_writer *writer, int64_t value)
{
	bytes_put_uint(writer, bytes_fold(value));
}

void bytes_put_raw(struct byte_writer *writer, const void *bytes, size_t n_bytes)
{
	if (n_bytes == 0)
		return;
	writer->bytes = array_reserve(writer->bytes, &writer->bytes_capacity, writer->n_bytes + n_bytes, 1);
	memcpy(writer->bytes + writer->n_bytes, bytes, n_bytes);
	writer->n_bytes += n_bytes;
}

void bytes_put_text(struct byte_writer *writer, const char *text)
{
	size_t n_bytes = strlen(text);

	bytes_put_uint(writer, n_bytes);
	bytes_put_raw(writer, text, n_bytes);
}

void bytes_fail(struct byte_reader *reader, const char *problem)
{
	if (!reader->problem)
		reader->problem = problem;
	reader->at = reader->end;
}

uint64_t bytes_get_uint(struct byte_reader *reader)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64 && reader->at < reader->end; shift += 7) {
		uint8_t byte = *reader->at++;

		if (shift == 63 && byte > 1)
			break;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	bytes_fail(reader, "a number is cut or too large");
	return 0;
}

uint64_t bytes_get_limited(struct byte_reader *reader, uint64_t max)
{
	uint64_t value = bytes_get_uint(reader);

	if (value <= max)
		return value;
	bytes_fail(reader, "a number is out of range");
	return 0;
}

int64_t bytes_get_int(struct byte_reader *reader)
{
	return bytes_unfold(bytes_get_uint(reader));
}

const uint8_t *bytes_get_raw(struct byte_reader *reader, size_t n_bytes)
{
	const uint8_t *bytes = reader->at;

	if (n_bytes > (size_t)(reader->end - reader->at)) {
		bytes_fail(reader, "something goes on after its end");
		return NULL;
	}
	reader->at += n_bytes;
	return reader->problem ? NULL : bytes;
}

char *bytes_get_text(struct byte_reader *reader)
{
	size_t n_bytes = bytes_get_number(reader, 1, 1);
	const uint8_t *bytes = bytes_get_raw(reader, n_bytes);
	char *text;

	if (bytes && memchr(bytes, '\0', n_bytes))
		bytes_fail(reader, "a text holds a zero byte");
	if (!bytes || reader->problem || !bytes_charge(reader, 1, ALLOCATION_BYTES))
		return xstrdup("");
	text = xcalloc(n_bytes + 1, 1);
	memcpy(text, bytes, n_bytes);
	return text;
}

size_t bytes_get_number(struct byte_reader *reader, size_t item_bytes, size_t memory_bytes)
{
	uint64_t n = bytes_get_uint(reader);

	if (n > (size_t)(reader->end - reader->at) / item_bytes) {
		bytes_fail(reader, "more is announced than follows");
		return 0;
	}
	return bytes_charge(reader, n, memory_bytes) ? n : 0;
}

bool bytes_charge(struct byte_reader *reader, size_t n, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(n, size, &total) || total > reader->memory_left_bytes) {
		bytes_fail(reader, "it would take more memory than any profile needs");
		return false;
	}
	reader->memory_left_bytes -= total;
	return true;
}
