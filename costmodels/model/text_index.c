#include "costmodels/model/text_index.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"

struct text_index_slot {
	const char *key; /* NULL: free */
	uint32_t key_bytes;
	uint32_t hash;
	uint32_t value;
};

/* Hashes eight bytes at a time, because hashing takes much of the time to load a model. Ignores case. The factor is
 * 2^64 over the golden ratio: Knuth, The Art of Computer Programming, vol. 3, 6.4. */
static uint64_t mix(uint64_t hash, uint64_t chunk)
{
	hash = (hash ^ (chunk | 0x2020202020202020)) * 0x9e3779b97f4a7c15;
	return hash ^ hash >> 32;
}

static uint32_t hash_text(const char *key, size_t key_bytes)
{
	uint64_t hash = key_bytes, chunk = 0;
	size_t done = 0;

	for (; done + sizeof(chunk) <= key_bytes; done += sizeof(chunk)) {
		memcpy(&chunk, key + done, sizeof(chunk)); /* constant size: no call */
		hash = mix(hash, chunk);
	}
	if (done == key_bytes)
		return (uint32_t)hash;
	if (done > 0)
		memcpy(&chunk, key + key_bytes - sizeof(chunk), sizeof(chunk)); /* may hash some bytes twice */
	else
		for (size_t i = 0; i < key_bytes; i++)
			chunk = chunk << 8 | (unsigned char)key[i];
	return (uint32_t)mix(hash, chunk);
}

static struct text_index_slot *find_slot(const struct text_index *index, const char *key, size_t key_bytes,
					 uint32_t hash)
{
	size_t mask = index->n_slots - 1;

	for (size_t at = hash & mask;; at = (at + 1) & mask) {
		struct text_index_slot *slot = &index->slots[at];

		if (!slot->key)
			return slot;
		if (slot->hash == hash && slot->key_bytes == key_bytes &&
		    (memcmp(slot->key, key, key_bytes) == 0 || strncasecmp(slot->key, key, key_bytes) == 0))
			return slot;
	}
}

/* At most half of the slots are in use, which keeps collisions rare. */
void text_index_reserve(struct text_index *index, size_t n_keys)
{
	struct text_index old = *index;

	if (n_keys * 2 <= old.n_slots)
		return;
	while (n_keys * 2 > index->n_slots)
		index->n_slots = index->n_slots ? index->n_slots * 2 : 64;
	index->slots = xcalloc(index->n_slots, sizeof(*index->slots));
	for (size_t i = 0; i < old.n_slots; i++) {
		const struct text_index_slot *slot = &old.slots[i];

		if (slot->key)
			*find_slot(index, slot->key, slot->key_bytes, slot->hash) = *slot;
	}
	free(old.slots);
}

void text_index_deinit(struct text_index *index)
{
	free(index->slots);
	*index = (struct text_index){0};
}

uint32_t *text_index_put(struct text_index *index, const char *key, size_t key_bytes, uint32_t value)
{
	uint32_t hash = hash_text(key, key_bytes);
	struct text_index_slot *slot;

	text_index_reserve(index, index->n_used + 1);
	slot = find_slot(index, key, key_bytes, hash);
	if (!slot->key) {
		*slot = (struct text_index_slot){key, (uint32_t)key_bytes, hash, value};
		index->n_used++;
	}
	return &slot->value;
}

uint32_t text_index_get(const struct text_index *index, const char *key, size_t key_bytes)
{
	const struct text_index_slot *slot;

	if (!index->n_slots)
		return TEXT_INDEX_NONE;
	slot = find_slot(index, key, key_bytes, hash_text(key, key_bytes));
	return slot->key ? slot->value : TEXT_INDEX_NONE;
}
