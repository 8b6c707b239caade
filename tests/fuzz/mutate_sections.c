/* How a search changes a saved profile: one section at a time, whose length it keeps right. What changes anywhere in the bytes hardly
 * ever gets behind the section that it is in. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "profile/bytes.h"
#include "profile/format.h"

#define MAX_SECTIONS 64

struct section {
	const uint8_t *tag; /* [FORMAT_TAG_BYTES] */
	const uint8_t *payload;
	size_t n_payload;
};

/* libFuzzer's. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size,
				 uint8_t *out, size_t max_size, unsigned seed);

/* How many there are: those up to the first one that is not whole. */
static size_t split(const uint8_t *data, size_t size, struct section *sections)
{
	struct byte_reader reader = {.at = data, .end = data + size};
	size_t n = 0;

	for (; n < MAX_SECTIONS && reader.at < reader.end; n++) {
		uint8_t tag[FORMAT_TAG_BYTES];
		uint64_t n_payload;

		sections[n].tag = reader.at;
		bytes_get_raw(&reader, tag, sizeof(tag));
		n_payload = bytes_get_uint(&reader);
		if (reader.problem || n_payload > (size_t)(reader.end - reader.at))
			break;
		sections[n].payload = reader.at;
		sections[n].n_payload = n_payload;
		reader.at += n_payload;
	}
	return n;
}

/* Their size, or 0 if they do not fit. */
static size_t join(const struct section *sections, size_t n_sections, uint8_t *data, size_t max_size)
{
	struct byte_writer out = {0};
	size_t n_bytes;

	for (size_t i = 0; i < n_sections; i++) {
		bytes_put_raw(&out, sections[i].tag, FORMAT_TAG_BYTES);
		bytes_put_uint(&out, sections[i].n_payload);
		bytes_put_raw(&out, sections[i].payload, sections[i].n_payload);
	}
	n_bytes = out.n_bytes <= max_size ? out.n_bytes : 0;
	if (n_bytes > 0)
		memcpy(data, out.bytes, n_bytes);
	free(out.bytes);
	return n_bytes;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	struct section sections[MAX_SECTIONS];
	size_t n = split(data, size, sections), room = max_size - size, n_bytes;
	struct section *changed;
	uint8_t *payload;

	if (n == 0 || seed % 16 == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	changed = &sections[seed / 16 % n];
	payload = malloc(changed->n_payload + room + 1);
	if (!payload)
		abort();
	memcpy(payload, changed->payload, changed->n_payload);
	changed->n_payload = LLVMFuzzerMutate(payload, changed->n_payload, changed->n_payload + room);
	changed->payload = payload;
	n_bytes = join(sections, n, data, max_size);
	free(payload);
	return n_bytes > 0 ? n_bytes : LLVMFuzzerMutate(data, size, max_size);
}

/* The first sections of one, and then those of the other; the last one of the former and the first one of the latter are of the same
 * kind, and only one of the two is taken. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size,
				 uint8_t *out, size_t max_size, unsigned seed)
{
	struct section sections[2 * MAX_SECTIONS], others[MAX_SECTIONS];
	size_t n = split(data, size, sections), n_others = split(other, other_size, others), first = 0;
	bool takes_own;

	if (n == 0)
		return 0;
	n = 1 + seed % n;
	while (first < n_others && memcmp(others[first].tag, sections[n - 1].tag, FORMAT_TAG_BYTES) != 0)
		first++;
	if (first == n_others)
		return 0;
	takes_own = seed / MAX_SECTIONS % 2;
	n -= !takes_own;
	first += takes_own;
	memcpy(&sections[n], &others[first], (n_others - first) * sizeof(*others));
	return join(sections, n + n_others - first, out, max_size);
}
