/* A hash index of an array: it finds the item that has given contents. Open addressing, linear probing.
 * Items are never removed. The owner of the array frees the slots. */
#ifndef ITRACE_BASE_INDEX_H
#define ITRACE_BASE_INDEX_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/array.h"

/* All zero while empty. */
struct index {
	uint32_t *slots; /* 0: free; else an item's index + 1 */
	size_t n_slots;	 /* a power of two, at least twice the number of items */
};

/* Fibonacci hashing: Knuth, TAOCP vol. 3, 6.4. INDEX_SLOT uses the upper half of a hash, which depends on more of the
 * input than the lower half. */
static inline uint64_t index_hash_pair(uint32_t first, uint32_t second)
{
	return ((uint64_t)first << 32 | second) * UINT64_C(0x9e3779b97f4a7c15);
}

static inline uint64_t index_hash_three(uint32_t first, uint32_t second, uint32_t third)
{
	return (index_hash_pair(first, second) ^ third) * UINT64_C(0x9e3779b97f4a7c15);
}

static inline uint64_t index_hash_words(const uint32_t *words, size_t n_words)
{
	uint64_t hash = n_words;

	for (size_t i = 0; i < n_words; i++)
		hash = (hash ^ (hash >> 32) ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
	return hash;
}

static inline uint64_t index_hash_text(const char *text)
{
	uint64_t hash = 0;

	for (; *text; text++)
		hash = (hash ^ (hash >> 32) ^ (uint8_t)*text) * UINT64_C(0x9e3779b97f4a7c15);
	return hash;
}

/* Yields a pointer to the slot of the wanted item, or to the free slot where it belongs if the array does not have it.
 * `table` is a struct index *. `is_it` is an expression that is true if the item at index `i` is the wanted one. */
#define INDEX_SLOT(table, hash, i, is_it)                                                  \
	({                                                                                 \
		uint32_t *slots_ = (table)->slots;                                         \
		size_t mask_ = (table)->n_slots - 1, at_ = (size_t)((hash) >> 32) & mask_; \
                                                                                           \
		for (; slots_[at_]; at_ = (at_ + 1) & mask_) {                             \
			size_t i = slots_[at_] - 1;                                        \
                                                                                           \
			if (is_it)                                                         \
				break;                                                     \
		}                                                                          \
		&slots_[at_];                                                              \
	})

/* Makes room for one more item: if the `n_items` items fill half of the slots, doubles the slots and enters all items
 * again. `slot` is an expression for the slot of the item at index `i`, usually INDEX_SLOT. */
#define INDEX_RESERVE(table, n_items, i, slot)                                        \
	do {                                                                          \
		struct index *index_ = (table);                                       \
                                                                                      \
		if ((n_items)*2 < index_->n_slots)                                    \
			break;                                                        \
		free(index_->slots);                                                  \
		do                                                                    \
			index_->n_slots = index_->n_slots ? index_->n_slots * 2 : 64; \
		while (index_->n_slots <= 2 * (n_items));                             \
		index_->slots = xcalloc(index_->n_slots, sizeof(*index_->slots));     \
		for (size_t i = 0; i < (n_items); i++)                                \
			*(slot) = (uint32_t)i + 1;                                    \
	} while (0)

#endif
