#include "profile/coder.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/array.h"

/* Predictions are logarithms of odds: 256 is a factor of e, +-2047 the ends. Probabilities are those of a 1, in 65536ths. */
#define MAX_LOGIT 2047
#define N_LOGITS 4096

/* 65536 / (1 + exp(-x)) for x = -8, -7.5 ... 8, rounded. Between these, lines. */
static const int32_t logistic[] = {22,	  36,	 60,	98,    162,   267,   439,   720,   1179,  1921,	 3108,
				   4971,  7812,	 11955, 17625, 24743, 32768, 40793, 47911, 53581, 57724, 60565,
				   62428, 63615, 64357, 64816, 65097, 65269, 65374, 65438, 65476, 65500, 65514};
#define LOGISTIC_STEP 128

/* A slot: 22 bits of probability, the upper one inverted so that 0 is one half; 10 bits, how often it was met. */
#define COUNT_BITS 10
#define PROBABILITY_BITS 22
#define HALF (1u << (PROBABILITY_BITS - 1))
#define MAX_COUNT 30 /* measured on code and lines of python3: 60 is 1 % worse, 250 2 %; 15 is as good */

/* As many as decisions of one hash are made of a cache line. */
#define LINE_SLOTS 16
#define LINE_BITS 4

/* Decisions of a number that have weights of their own, by how many contexts were met before. */
#define N_NODES 32
#define N_SEEN 4

/* So many slots take as long to set up as a decision does. */
#define SLOTS_PER_DECISION 64

#define WEIGHT_ONE 65536
#define MAX_WEIGHT (256 * WEIGHT_ONE) /* none that was met is a tenth of it */
#define LEARNING_SHIFT 14	      /* measured: 13 and 15 are 0.5 % worse */

struct coder {
	bool reads;
	const uint8_t *at, *end;
	unsigned n_beyond; /* bytes read behind the end */
	struct {
		uint8_t *bytes;
		size_t n_bytes, bytes_capacity;
	} out;
	uint32_t low, high, code; /* of the arithmetic coder: the range, and where in it what is read lies */
	uint64_t n_decisions;
	unsigned slot_bits;
	uint32_t *slots;
	int32_t (*weights)[CODER_MAX_CONTEXTS]; /* [column][node][seen]; less what they begin with */
	uint16_t probability[N_LOGITS];		/* by logit + 2048 */
	int16_t logit[4096];			/* by probability in 4096ths */
	uint32_t rate[MAX_COUNT + 1];		/* by count: how far a slot moves, in 65536ths */
};

static void make_tables(struct coder *coder)
{
	unsigned logit = 0;

	for (int32_t i = 0; i < N_LOGITS; i++) {
		const int32_t *at = &logistic[i / LOGISTIC_STEP];

		coder->probability[i] = (uint16_t)(at[0] + (at[1] - at[0]) * (i % LOGISTIC_STEP) / LOGISTIC_STEP);
	}
	for (uint32_t i = 0; i < ARRAY_LENGTH(coder->logit); i++) {
		while (logit < N_LOGITS - 1 && coder->probability[logit] < i * 16 + 8)
			logit++;
		coder->logit[i] = (int16_t)((int32_t)logit - N_LOGITS / 2);
	}
	for (uint32_t i = 0; i <= MAX_COUNT; i++)
		coder->rate[i] = 10 * 65536 / (10 * i + 16);
}

/* Slots are met in no order: with pages of 4 KiB, most of the time goes to finding these. */
#define HUGE_PAGE_BYTES ((size_t)2 << 20)

static uint32_t *make_slots(unsigned slot_bits)
{
	size_t n_bytes = sizeof(uint32_t) << slot_bits;
	uint32_t *slots = NULL;

	if (n_bytes >= 2 * HUGE_PAGE_BYTES)
		slots = aligned_alloc(HUGE_PAGE_BYTES, n_bytes);
	if (!slots)
		return xcalloc(n_bytes, 1);
	madvise(slots, n_bytes, MADV_HUGEPAGE);
	memset(slots, 0, n_bytes);
	return slots;
}

static uint32_t next_byte(struct coder *coder)
{
	if (coder->at < coder->end)
		return *coder->at++;
	coder->n_beyond++;
	return 0;
}

struct coder *coder_create(unsigned slot_bits, const uint8_t *bytes, size_t n_bytes)
{
	struct coder *coder = xcalloc(1, sizeof(*coder));

	coder->reads = bytes;
	coder->high = UINT32_MAX;
	coder->slot_bits = slot_bits;
	coder->n_decisions = ((uint64_t)1 << slot_bits) / SLOTS_PER_DECISION;
	coder->slots = make_slots(slot_bits);
	coder->weights = xcalloc((size_t)CODER_MAX_COLUMNS * N_NODES * N_SEEN, sizeof(*coder->weights));
	make_tables(coder);
	if (bytes) {
		coder->at = bytes;
		coder->end = bytes + n_bytes;
		for (int i = 0; i < 4; i++)
			coder->code = coder->code << 8 | next_byte(coder);
	}
	return coder;
}

void coder_destroy(struct coder *coder)
{
	if (!coder)
		return;
	free(coder->slots);
	free(coder->weights);
	free(coder->out.bytes);
	free(coder);
}

unsigned coder_slot_bits(const struct coder *coder)
{
	return coder->slot_bits;
}

static bool code_bit(struct coder *coder, uint32_t probability, bool bit)
{
	uint32_t middle = coder->low + (uint32_t)((uint64_t)(coder->high - coder->low) * probability >> 16);

	coder->n_decisions++;
	if (coder->reads)
		bit = coder->code <= middle;
	if (bit)
		coder->high = middle;
	else
		coder->low = middle + 1;
	/* The upper byte is settled. */
	while ((coder->low ^ coder->high) >> 24 == 0) {
		if (coder->reads)
			coder->code = coder->code << 8 | next_byte(coder);
		else
			*ARRAY_ADD(&coder->out, bytes) = (uint8_t)(coder->high >> 24);
		coder->low <<= 8;
		coder->high = coder->high << 8 | 0xff;
	}
	return bit;
}

const uint8_t *coder_finish(struct coder *coder, size_t *n_bytes)
{
	for (int i = 0; i < 4; i++, coder->low <<= 8)
		*ARRAY_ADD(&coder->out, bytes) = (uint8_t)(coder->low >> 24);
	*n_bytes = coder->out.n_bytes;
	return coder->out.bytes;
}

bool coder_is_exhausted(const struct coder *coder)
{
	return coder->n_beyond > 0;
}

uint64_t coder_decisions(const struct coder *coder)
{
	return coder->n_decisions;
}

/* A slot, moved towards a bit that was seen. */
static uint32_t learn(const uint32_t *rates, uint32_t slot, bool bit)
{
	uint32_t count = slot & ((1u << COUNT_BITS) - 1), probability = slot >> COUNT_BITS ^ HALF;
	int32_t distance = (int32_t)(((1u << PROBABILITY_BITS) - 1) & -(uint32_t)bit) - (int32_t)probability;

	probability += (uint32_t)((int64_t)distance * rates[count] >> 16);
	return (probability ^ HALF) << COUNT_BITS | (count + (count < MAX_COUNT));
}

/* The slots that one number's decisions are predicted by: those of one line for each context. */
struct lines {
	unsigned column, n;
	int32_t first_weight;
	uint64_t hashes[CODER_MAX_CONTEXTS];
	uint32_t *lines[CODER_MAX_CONTEXTS]; /* [n] of LINE_SLOTS */
};

static void lines_init(struct lines *lines, const struct hint *hint)
{
	lines->column = hint->column;
	lines->n = hint->n_contexts;
	lines->first_weight = 2 * WEIGHT_ONE / (int32_t)(lines->n + 1);
	for (unsigned i = 0; i < lines->n; i++)
		lines->hashes[i] = hint_mix(hint_mix(hint->contexts[i] + 1, hint->column * 16 + i + 1), 77);
}

/* The lines for a part of the number: `part` is what of it is known. */
static void lines_select(struct lines *lines, struct coder *coder, uint64_t part)
{
	for (unsigned i = 0; i < lines->n; i++) {
		uint64_t hash = hint_mix(lines->hashes[i], part * UINT64_C(0xd6e8feb86659fd93) + 1);

		hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
		lines->lines[i] = coder->slots + ((hash >> (64 - coder->slot_bits + LINE_BITS)) << LINE_BITS);
	}
}

/* Which weights are taken: none of the contexts was met before, less than half, others, all. */
static unsigned seen_class(unsigned n_seen, unsigned n)
{
	return n_seen == n ? 3 : 2 * n_seen >= n ? 2 : n_seen > 0;
}

static bool decide(struct coder *coder, const struct lines *lines, unsigned slot, unsigned node, bool bit)
{
	int32_t logits[CODER_MAX_CONTEXTS], *weights, error;
	uint32_t known[CODER_MAX_CONTEXTS], probability;
	unsigned n = lines->n, n_seen = 0;
	int64_t sum = 0;

	for (unsigned i = 0; i < n; i++) {
		known[i] = lines->lines[i][slot];
		n_seen += known[i] != 0;
		logits[i] = coder->logit[(known[i] ^ UINT32_C(1) << 31) >> 20];
	}
	weights = coder->weights[(lines->column * N_NODES + node) * N_SEEN + seen_class(n_seen, n)];
	for (unsigned i = 0; i < n; i++)
		sum += (int64_t)(weights[i] + lines->first_weight) * logits[i];
	sum /= WEIGHT_ONE;
	sum = sum > MAX_LOGIT ? MAX_LOGIT : sum < -MAX_LOGIT ? -MAX_LOGIT : sum;
	probability = coder->probability[sum + N_LOGITS / 2];
	bit = code_bit(coder, probability, bit);
	error = (int32_t)((uint32_t)bit << 16) - (int32_t)probability;
	for (unsigned i = 0; i < n; i++) {
		int32_t weight = weights[i] + (int32_t)(((int64_t)logits[i] * error) >> LEARNING_SHIFT);

		weights[i] = weight > MAX_WEIGHT ? MAX_WEIGHT : weight < -MAX_WEIGHT ? -MAX_WEIGHT : weight;
		lines->lines[i][slot] = learn(coder->rate, known[i], bit);
	}
	return bit;
}

/* Four bits, from the top. */
static unsigned code_nibble(struct coder *coder, struct lines *lines, unsigned node, unsigned value)
{
	unsigned known = 1;

	for (int i = 3; i >= 0; i--)
		known = known << 1 | decide(coder, lines, known, node + known, value >> i & 1);
	return known & 15;
}

uint8_t coder_byte(struct coder *coder, const struct hint *hint, uint8_t value)
{
	struct lines lines;
	unsigned upper;

	lines_init(&lines, hint);
	lines_select(&lines, coder, 0);
	upper = code_nibble(coder, &lines, 0, value >> 4);
	lines_select(&lines, coder, 1 + upper);
	return (uint8_t)(upper << 4 | code_nibble(coder, &lines, 16, value & 15));
}

/* How many bits a number has, as so many ones and a zero. */
static unsigned code_length(struct coder *coder, struct lines *lines, uint64_t value)
{
	unsigned length = value ? 64 - (unsigned)__builtin_clzll(value) : 0, i;

	for (i = 0; i < 64; i++) {
		if (i % LINE_SLOTS == 0)
			lines_select(lines, coder, 32 + i / LINE_SLOTS);
		if (!decide(coder, lines, i % LINE_SLOTS, i < 15 ? i : 15, length > i))
			break;
	}
	return i;
}

/* Of a number's bits below the uppermost one, three are predicted with those above them, three from the two above, and all
 * further ones by themselves. */
uint64_t coder_number(struct coder *coder, const struct hint *hint, uint64_t value)
{
	unsigned length, known = 1;
	uint64_t result = 1;
	struct lines lines;

	lines_init(&lines, hint);
	length = code_length(coder, &lines, value);
	if (length < 2)
		return length;
	lines_select(&lines, coder, 64 + length);
	for (unsigned i = 1; i < length; i++) {
		bool bit = value >> (length - 1 - i) & 1;

		if (i == 4)
			lines_select(&lines, coder, 256 + length * 16 + known);
		if (i < 4)
			known = known << 1 | (bit = decide(coder, &lines, known, 16 + known, bit));
		else if (i < 7)
			bit = decide(coder, &lines, (i - 4) * 4 + (unsigned)(result & 3), 24 + i - 4, bit);
		else
			bit = code_bit(coder, 32768, bit);
		result = result << 1 | bit;
	}
	return result;
}
