/* Loops whose branches depend on data. */
#include "kernels.h"

#include <string.h>

KERNEL uint64_t kernel_binary_search(struct data *data)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < 128; i++) {
		uint32_t wanted = data->sorted[data->random[i] * 2];
		size_t low = 0, high = N_WORDS;

		while (low < high) {
			size_t middle = (low + high) / 2;

			if (data->sorted[middle] < wanted)
				low = middle + 1;
			else
				high = middle;
		}
		sum += low;
	}
	return sum;
}

/* A search without a branch that depends on data. */
KERNEL uint64_t kernel_search_cmov(struct data *data)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < 128; i++) {
		uint32_t wanted = data->sorted[data->random[i] * 2];
		const uint32_t *base = data->sorted;

		for (size_t n = N_WORDS / 2; n; n /= 2) {
			const uint32_t *middle = base + n;

			__asm__("cmpl %2, (%1)\n\tcmovbe %1, %0"
				: "+r"(base)
				: "r"(middle), "r"(wanted)
				: "cc", "memory");
		}
		sum += (uint64_t)(base - data->sorted);
	}
	return sum;
}

KERNEL uint64_t kernel_sort(struct data *data)
{
	int32_t *items = (int32_t *)data->out;

	memcpy(items, data->ints, N_SORTED * sizeof(*items));
	for (size_t i = 1; i < N_SORTED; i++) {
		int32_t item = items[i];
		size_t at = i;

		for (; at && items[at - 1] > item; at--)
			items[at] = items[at - 1];
		items[at] = item;
	}
	return (uint64_t)(uint32_t)items[N_SORTED / 2];
}

KERNEL uint64_t kernel_linked_list(struct data *data)
{
	const struct node *node = data->nodes;
	uint64_t sum = 0;

	for (size_t i = 0; i < 1024; i++) {
		sum += node->key;
		node = node->next;
	}
	return sum;
}

KERNEL uint64_t kernel_tree(struct data *data)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < 128; i++) {
		uint64_t wanted = data->nodes[data->random[i]].key;
		const struct node *node = data->nodes;

		while (node && node->key != wanted) {
			node = wanted < node->key ? node->left : node->right;
			sum++;
		}
	}
	return sum;
}

KERNEL uint64_t kernel_mixed_branches(struct data *data)
{
	uint64_t sum = 0, other = 0;

	for (size_t i = 0; i < N_BYTES; i++) {
		uint8_t byte = data->random[i];

		if (byte < 64)
			sum += (uint64_t)byte * 3;
		else if (byte & 1)
			other ^= byte;
		else if (byte > 200)
			sum -= other;
	}
	return sum ^ other;
}

/* New numbers in each call, so that no predictor learns them. */
static uint64_t random_state = 88172645463325252;

/* Marsaglia's xorshift. */
static inline uint64_t next_random(uint64_t x)
{
	x ^= x << 13;
	x ^= x >> 7;
	return x ^ x << 17;
}

/* Skips an addition in half of the rounds. The asm statement keeps the compiler from making it a CMOV. */
KERNEL uint64_t kernel_random_branch(struct data *data)
{
	uint64_t x = random_state, sum = 0;

	(void)data;
	for (size_t i = 0; i < 1024; i++) {
		x = next_random(x);
		if (x & 1)
			__asm__ volatile("inc %0" : "+r"(sum));
	}
	random_state = x;
	return sum;
}

/* As kernel_random_branch, with the numbers of Knuth's MMIX generator: one multiplication and one addition. */
KERNEL uint64_t kernel_random_branch_late(struct data *data)
{
	uint64_t x = random_state, sum = 0;

	(void)data;
	for (size_t i = 0; i < 1024; i++) {
		x = x * 6364136223846793005 + 1442695040888963407;
		if (x >> 40 & 1)
			__asm__ volatile("inc %0" : "+r"(sum));
	}
	random_state = x;
	return sum;
}

/* A random branch beside a chain that it does not depend on. */
KERNEL uint64_t kernel_random_branch_beside_chain(struct data *data)
{
	uint64_t x = random_state, chain = 1;

	(void)data;
	for (size_t i = 0; i < 1024; i++) {
		x = next_random(x);
		__asm__ volatile("imul %0, %0\n\timul %0, %0\n\timul %0, %0" : "+r"(chain));
		if (x & 2)
			__asm__ volatile("nop");
	}
	random_state = x;
	return chain;
}

KERNEL uint64_t kernel_predictable_branches(struct data *data)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < N_BYTES; i++) {
		if (i % 4 == 0)
			sum += data->random[i];
		else
			sum ^= i;
	}
	return sum;
}

KERNEL uint64_t kernel_utf8(struct data *data)
{
	const uint8_t *at = data->text;
	uint64_t sum = 0;

	while (*at) {
		if (*at < 0x80) {
			sum += *at++;
		} else if (*at < 0xe0) {
			sum += (uint64_t)(*at & 0x1f) << 6 | (at[1] & 0x3f);
			at += 2;
		} else {
			sum += (uint64_t)(*at & 0x0f) << 12 | (uint64_t)(at[1] & 0x3f) << 6 | (at[2] & 0x3f);
			at += 3;
		}
	}
	return sum;
}

KERNEL uint64_t kernel_count_words(struct data *data)
{
	uint64_t words = 0, in_word = 0;

	for (const uint8_t *at = data->text; *at; at++) {
		uint64_t is_space = *at == ' ' || *at == '\n';

		words += in_word & is_space;
		in_word = !is_space;
	}
	return words;
}

KERNEL uint64_t kernel_collatz(struct data *data)
{
	uint64_t steps = 0;

	for (uint64_t i = 1; i < 64; i++)
		for (uint64_t n = i + data->sorted[0] % 2; n > 1; steps++)
			n = n & 1 ? 3 * n + 1 : n / 2;
	return steps;
}

/* An indirect jump for each byte. */
KERNEL uint64_t kernel_interpreter(struct data *data)
{
	uint64_t a = 1, b = 2;

	for (size_t i = 0; i < N_BYTES; i++)
		switch (data->random[i % 16] & 7) {
		case 0:
			a += b;
			break;
		case 1:
			b ^= a;
			break;
		case 2:
			a <<= 1;
			break;
		case 3:
			b -= 3;
			break;
		case 4:
			a = b * 5;
			break;
		case 5:
			b = a >> 2;
			break;
		case 6:
			a |= 1;
			break;
		default:
			b++;
			break;
		}
	return a ^ b;
}

const struct kernel branch_kernels[] = {
	{"binary_search", kernel_binary_search, NULL},
	{"search_cmov", kernel_search_cmov, NULL},
	{"sort", kernel_sort, NULL},
	{"linked_list", kernel_linked_list, NULL},
	{"tree", kernel_tree, NULL},
	{"mixed_branches", kernel_mixed_branches, NULL},
	{"random_branch", kernel_random_branch, NULL},
	{"random_branch_late", kernel_random_branch_late, NULL},
	{"random_branch_beside_chain", kernel_random_branch_beside_chain, NULL},
	{"predictable_branches", kernel_predictable_branches, NULL},
	{"utf8", kernel_utf8, NULL},
	{"count_words", kernel_count_words, NULL},
	{"collatz", kernel_collatz, NULL},
	{"interpreter", kernel_interpreter, NULL},
	{NULL, NULL, NULL},
};
