/* Writes numbers in few bits where they are what one would expect after those before them, and reads them back (FORMAT.md,
 * "Coding"). A number is split into decisions between 0 and 1; each is predicted from a few contexts, by what followed when
 * they were met before; the predictions are mixed, weighted by how good they were; and an arithmetic coder spends as many
 * bits as the outcome was unlikely. All of it is arithmetic with integers: it is the same on every machine.
 *
 * Private to profile/.
 */
#ifndef ITRACE_PROFILE_CODER_H
#define ITRACE_PROFILE_CODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CODER_MAX_CONTEXTS 8
#define CODER_MAX_COLUMNS 64

/* Tables of 2^12 to 2^24 slots of 4 bytes. */
#define CODER_MIN_SLOT_BITS 12
#define CODER_MAX_SLOT_BITS 24

/* What the next number is predicted from. */
struct hint {
	uint8_t column; /* what kind of number it is, below CODER_MAX_COLUMNS: each kind is predicted by itself */
	uint8_t n_contexts;
	uint64_t contexts[CODER_MAX_CONTEXTS]; /* any values; what matters is whether they are equal to former ones */
};

struct coder;

/* One that writes with bytes == NULL, one that reads n_bytes else. */
struct coder *coder_create(unsigned slot_bits, const uint8_t *bytes, size_t n_bytes);
void coder_destroy(struct coder *coder);

unsigned coder_slot_bits(const struct coder *coder);

/* Each writes the value, or ignores it and reads one; returns the value. */
uint64_t coder_number(struct coder *coder, const struct hint *hint, uint64_t value);
uint8_t coder_byte(struct coder *coder, const struct hint *hint, uint8_t value);

/* What was written, which the coder owns; to be called once, behind the last number. */
const uint8_t *coder_finish(struct coder *coder, size_t *n_bytes);

/* Whether more was read than there was: since then, values mean nothing. */
bool coder_is_exhausted(const struct coder *coder);

/* Those taken so far, and what setting up took; what a reader has to limit, as a decision may take next to no bytes. */
uint64_t coder_decisions(const struct coder *coder);

/* One value of two, to be a context. */
static inline uint64_t hint_mix(uint64_t a, uint64_t b)
{
	a = (a ^ b) * UINT64_C(0x9e3779b97f4a7c15); /* 2^64 over the golden ratio */
	return a ^ a >> 29;
}

#endif
