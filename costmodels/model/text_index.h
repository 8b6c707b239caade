/* A hash from texts to numbers, case-insensitive: the rows of a table by their key.
 *
 * Keys are borrowed and need no NUL, so that a key may be a part of another (the mnemonic of a form).
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

/* Makes room for so many keys at once, for speed. */
void text_index_reserve(struct text_index *index, size_t n_keys);

/* The value under the key, added with `value` if it was not there; the caller compares to see which. The result stays
 * valid until the next addition. */
uint32_t *text_index_put(struct text_index *index, const char *key, size_t key_bytes, uint32_t value);

/* The value under the key, or TEXT_INDEX_NONE. */
uint32_t text_index_get(const struct text_index *index, const char *key, size_t key_bytes);

#endif
