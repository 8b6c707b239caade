/* An index of an array, which finds the item with given contents by open addressing. `uint32_t *slots; size_t
 * n_slots` are a power of two and at least twice the number of items. A slot is 0 if free, else an item's index + 1.
 * Items are never removed. */
#ifndef ITRACE_BASE_INDEX_H
#define ITRACE_BASE_INDEX_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/array.h"

/* Fibonacci hashing: Knuth, TAOCP vol. 3, 6.4. Only the upper half of a hash is used, because it is mixed better. */
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

/* The slot of the item for which `is_it`, an expression of its index `i`, holds, or the free slot for such an item. */
#define INDEX_SLOT(slots, n_slots, hash, i, is_it)                                \
	({                                                                        \
		size_t mask_ = (n_slots)-1, at_ = (size_t)((hash) >> 32) & mask_; \
                                                                                  \
		for (; (slots)[at_]; at_ = (at_ + 1) & mask_) {                   \
			size_t i = (slots)[at_] - 1;                              \
                                                                                  \
			if (is_it)                                                \
				break;                                            \
		}                                                                 \
		&(slots)[at_];                                                    \
	})

/* Doubles the slots (`n_first` at first, more if `n_items` need them) and fills them. `slot`, an expression of an
 * item's index `i`, finds its slot. Also makes the first index of an array that has items already. */
#define INDEX_GROW(slots, n_slots, n_first, n_items, i, slot)                    \
	do {                                                                     \
		free(slots);                                                     \
		do                                                               \
			(n_slots) = (n_slots) ? (n_slots)*2 : (size_t)(n_first); \
		while ((n_slots) <= 2 * (n_items));                              \
		(slots) = xcalloc(n_slots, sizeof(*(slots)));                    \
		for (size_t i = 0; i < (n_items); i++)                           \
			*(slot) = (uint32_t)i + 1;                               \
	} while (0)

#endif
