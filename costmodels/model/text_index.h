/* A case-insensitive hash table from texts to numbers.
 *
 * Keys are borrowed and need no NUL, so a key may be a part of a longer text, such as the mnemonic of a form.
 */
#ifndef ITRACE_COSTMODELS_MODEL_TEXT_INDEX_H
#define ITRACE_COSTMODELS_MODEL_TEXT_INDEX_H

#include <stddef.h>
#include <stdint.h>

#define TEXT_INDEX_NONE UINT32_MAX

struct text_index_slot;

struct text_index {
	struct text_index_slot *slots;
	size_t n_slots; /* 0 or a power of two */
	size_t n_used;
};

void text_index_deinit(struct text_index *index);

/* Reserves room for n_keys keys. */
void text_index_reserve(struct text_index *index, size_t n_keys);

/* Returns the value of the key. Adds an absent key with `value`. The pointer is valid until the next addition. */
uint32_t *text_index_put(struct text_index *index, const char *key, size_t key_bytes, uint32_t value);

/* Returns the value of the key, or TEXT_INDEX_NONE. */
uint32_t text_index_get(const struct text_index *index, const char *key, size_t key_bytes);

#endif
