#include "profile/bytes.h"

#include <string.h>

#include "base/array.h"
#include "profile/columns.h"

/* An allocation of its own takes about so much more than its content. */
#define ALLOCATION_BYTES 32

uint64_t bytes_fold(int64_t value)
{
	return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

int64_t bytes_unfold(uint64_t folded)
{
	return (int64_t)(folded >> 1 ^ (folded & 1 ? UINT64_MAX : 0));
}

static struct hint hint_of_recent(const uint64_t *recent)
{
	return (struct hint){COLUMN_NUMBER, 3, {0, recent[0], hint_mix(recent[0], recent[1] + 1)}};
}

static void remember(uint64_t *recent, uint64_t value)
{
	recent[1] = recent[0];
	recent[0] = value;
}

/* The bytes before it; each a context with those behind it. */
static struct hint hint_of_text(const char *text, size_t at)
{
	struct hint hint = {COLUMN_TEXT, 6, {0}};

	for (unsigned i = 1; i < 5; i++)
		hint.contexts[i] = hint_mix(hint.contexts[i - 1], at >= i ? (uint8_t)text[at - i] : 256);
	hint.contexts[5] = hint.contexts[4];
	for (unsigned i = 5; i < 7; i++)
		hint.contexts[5] = hint_mix(hint.contexts[5], at >= i ? (uint8_t)text[at - i] : 256);
	return hint;
}

static void put_plain(struct byte_writer *writer, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*ARRAY_ADD(writer, bytes) = (uint8_t)(value | 0x80);
	*ARRAY_ADD(writer, bytes) = (uint8_t)value;
}

void bytes_put_uint(struct byte_writer *writer, uint64_t value)
{
	struct hint hint = hint_of_recent(writer->recent);

	if (!writer->coder)
		put_plain(writer, value);
	else
		coder_number(writer->coder, &hint, value);
	remember(writer->recent, value);
}

void bytes_put_int(struct byte_writer *writer, int64_t value)
{
	bytes_put_uint(writer, bytes_fold(value));
}

void bytes_put_raw(struct byte_writer *writer, const void *bytes, size_t n_bytes)
{
	static const struct hint hint = {COLUMN_RAW, 1, {0}};

	if (n_bytes == 0)
		return;
	if (writer->coder) {
		for (size_t i = 0; i < n_bytes; i++)
			coder_byte(writer->coder, &hint, ((const uint8_t *)bytes)[i]);
		return;
	}
	writer->bytes = array_reserve(writer->bytes, &writer->bytes_capacity, writer->n_bytes + n_bytes, 1);
	memcpy(writer->bytes + writer->n_bytes, bytes, n_bytes);
	writer->n_bytes += n_bytes;
}

void bytes_put_text(struct byte_writer *writer, const char *text)
{
	size_t n_bytes = strlen(text);

	if (!writer->coder) {
		put_plain(writer, n_bytes);
		bytes_put_raw(writer, text, n_bytes);
		return;
	}
	for (size_t i = 0; i <= n_bytes; i++) {
		struct hint hint = hint_of_text(text, i);

		coder_byte(writer->coder, &hint, (uint8_t)text[i]);
	}
}

void bytes_fail(struct byte_reader *reader, const char *problem)
{
	if (!reader->problem)
		reader->problem = problem;
	reader->at = reader->end;
}

/* To be asked behind what was read by the coder. */
static bool coder_is_good(struct byte_reader *reader)
{
	if (coder_is_exhausted(reader->coder))
		bytes_fail(reader, "a number is cut or too large");
	else if (coder_decisions(reader->coder) > reader->max_decisions)
		bytes_fail(reader, "it is larger than any profile");
	return !reader->problem;
}

static uint64_t get_coded(struct byte_reader *reader, const struct hint *hint)
{
	uint64_t value;

	if (reader->problem)
		return 0;
	value = coder_number(reader->coder, hint, 0);
	return coder_is_good(reader) ? value : 0;
}

static uint8_t get_coded_byte(struct byte_reader *reader, const struct hint *hint)
{
	uint8_t value;

	if (reader->problem)
		return 0;
	value = coder_byte(reader->coder, hint, 0);
	return coder_is_good(reader) ? value : 0;
}

static uint64_t get_plain(struct byte_reader *reader)
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

uint64_t bytes_get_uint(struct byte_reader *reader)
{
	struct hint hint = hint_of_recent(reader->recent);
	uint64_t value = reader->coder ? get_coded(reader, &hint) : get_plain(reader);

	remember(reader->recent, value);
	return value;
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

void bytes_get_raw(struct byte_reader *reader, void *bytes, size_t n_bytes)
{
	static const struct hint hint = {COLUMN_RAW, 1, {0}};

	if (reader->coder) {
		for (size_t i = 0; i < n_bytes; i++)
			((uint8_t *)bytes)[i] = get_coded_byte(reader, &hint);
		return;
	}
	if (n_bytes > (size_t)(reader->end - reader->at)) {
		bytes_fail(reader, "something goes on after its end");
		memset(bytes, 0, n_bytes);
		return;
	}
	if (n_bytes > 0)
		memcpy(bytes, reader->at, n_bytes);
	reader->at += n_bytes;
}

static char *get_coded_text(struct byte_reader *reader)
{
	struct text {
		char *bytes;
		size_t n_bytes, bytes_capacity;
	} text = {0};
	char byte;

	do {
		struct hint hint = hint_of_text(text.bytes, text.n_bytes);

		byte = (char)get_coded_byte(reader, &hint);
		if (!bytes_charge(reader, 1, 1))
			byte = '\0';
		*ARRAY_ADD(&text, bytes) = byte;
	} while (byte);
	return text.bytes;
}

char *bytes_get_text(struct byte_reader *reader)
{
	size_t n_bytes;
	char *text;

	if (reader->problem || !bytes_charge(reader, 1, ALLOCATION_BYTES))
		return xstrdup("");
	if (reader->coder)
		return get_coded_text(reader);
	n_bytes = bytes_get_number(reader, 1, 1);
	if (reader->problem)
		return xstrdup("");
	text = xcalloc(n_bytes + 1, 1);
	bytes_get_raw(reader, text, n_bytes);
	if (strlen(text) < n_bytes) {
		bytes_fail(reader, "a text holds a zero byte");
		text[0] = '\0';
	}
	return text;
}

size_t bytes_get_number(struct byte_reader *reader, size_t item_bytes, size_t memory_bytes)
{
	uint64_t n = bytes_get_uint(reader);

	/* How much follows is not known of what is coded: its memory is what limits it. */
	if (reader->coder && memory_bytes < ALLOCATION_BYTES)
		memory_bytes = ALLOCATION_BYTES;
	if (!reader->coder && n > (size_t)(reader->end - reader->at) / item_bytes) {
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

uint64_t bytes_io_uint(const struct bytes_io *io, const struct hint *hint, uint64_t value)
{
	if (io->reader)
		return io->reader->coder ? get_coded(io->reader, hint) : get_plain(io->reader);
	if (io->writer->coder)
		coder_number(io->writer->coder, hint, value);
	else
		put_plain(io->writer, value);
	return value;
}

int64_t bytes_io_int(const struct bytes_io *io, const struct hint *hint, int64_t value)
{
	return bytes_unfold(bytes_io_uint(io, hint, bytes_fold(value)));
}

uint8_t bytes_io_byte(const struct bytes_io *io, const struct hint *hint, uint8_t value)
{
	if (io->reader && io->reader->coder)
		return get_coded_byte(io->reader, hint);
	if (io->reader)
		bytes_get_raw(io->reader, &value, 1);
	else if (io->writer->coder)
		coder_byte(io->writer->coder, hint, value);
	else
		bytes_put_raw(io->writer, &value, 1);
	return value;
}
