/* Measures the core without its caches: issue width, latencies of loads, store forwarding, mispredictions. */
#include "timing/machine/machine_private.h"

#include "base/array.h"

#define NOISY "the samples do not agree"
#define WIDTH_ATTEMPTS 20
#define MISPREDICTION_ATTEMPTS 12
#define BYTES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})

/* Each of these instructions takes an issue slot, and no unit executes more than a quarter of them. NOPs are not
 * used, because some CPUs issue two in a slot. Each instruction has four bytes, so that neither fetching nor the op
 * cache limits the issue. */
static const struct width_body {
	const uint8_t *bytes;
	size_t n_bytes;
	uint32_t n_insns;
} width_bodies[] = {
	{BYTES(0x3e, 0x3e, 0x31, 0xc0), 1},			/* xor eax, eax */
	{BYTES(0x3e, 0x48, 0x89, 0xd1, 0x3e, 0x3e, 0x31, 0xc0,	/* mov rcx, rdx; xor eax, eax */
	       0x3e, 0x48, 0x89, 0xd6, 0x3e, 0x48, 0x39, 0xda), /* mov rsi, rdx; cmp rdx, rbx */
	 4},
};

void machine_measure_width(struct machine *machine)
{
	struct clock_result best = {0}, result;
	struct timed_code_state state;

	timed_code_state_init(&state, 0, sizeof(uint64_t));
	/* Another hardware thread of the core takes half of the slots while it runs, so the result is the largest
	 * width. */
	for (size_t i = 0; i < ARRAY_LENGTH(width_bodies) * WIDTH_ATTEMPTS; i++) {
		const struct width_body *sequence = &width_bodies[i % ARRAY_LENGTH(width_bodies)];
		const struct timed_code_body body = {.bytes = sequence->bytes,
						     .n_bytes = sequence->n_bytes,
						     .n_copies = 240 / sequence->n_insns};

		if (!machine_time(machine, &body, &state, &result) || result.mcyc <= 0)
			continue;
		result.mcyc = MILLI * MILLI * sequence->n_insns / result.mcyc;
		if (result.mcyc > best.mcyc)
			best = result;
	}
	if (best.mcyc)
		machine_add(machine, "issue_width", "instructions a cycle: zero idioms, moves and comparisons", &best);
	else
		machine_add_missing(machine, "issue_width", NOISY);
}

/* A parameter is the time of one chain minus the time of another chain. RAX, RBX and RSI point to a cell that points
 * to itself, RCX points to a cell that contains 0, and RDX and RDI are 0. */
static const struct chain {
	const char *key, *how;
	const uint8_t *bytes;
	size_t n_bytes;
	const uint8_t *other;
	size_t n_other;
} chains[] = {
	/* mov rax, [rax]; add rax, rdi; minus the addition. A load loads the base of a faster load directly. */
	{"load_latency", "a load and an addition in a chain, minus the addition",
	 BYTES(0x48, 0x8b, 0x00, 0x48, 0x01, 0xf8), BYTES(0x48, 0x01, 0xf8)},
	/* mov rax, [rax] */
	{"simple_load_latency", "a chain of loads", BYTES(0x48, 0x8b, 0x00), NULL, 0},
	/* mov rdx, [rcx+rdx*8]; minus mov rdx, [rcx+rdx] */
	{"scaled_index_cycles", "a chain of loads with an index, with and without a scale",
	 BYTES(0x48, 0x8b, 0x14, 0xd1), BYTES(0x48, 0x8b, 0x14, 0x11)},
	/* mov [rbx], rax; mov rax, [rsi]. The bases differ, because some CPUs find the store of a load by its base. */
	{"store_forward_latency", "a chain of a store and a load, with other registers in their addresses",
	 BYTES(0x48, 0x89, 0x03, 0x48, 0x8b, 0x06), NULL, 0},
	/* movdqu [rbx], xmm0; movdqu xmm0, [rsi] */
	{"vector_store_forward_latency", "as store_forward_latency, of 128 bits",
	 BYTES(0xf3, 0x0f, 0x7f, 0x03, 0xf3, 0x0f, 0x6f, 0x06), NULL, 0},
	/* mov [rbx], eax; mov [rbx+4], eax; mov rax, [rsi] */
	{"failed_forward_cycles", "a chain of two stores of 4 bytes and a load of both",
	 BYTES(0x89, 0x03, 0x89, 0x43, 0x04, 0x48, 0x8b, 0x06), NULL, 0},
};

enum { CHAIN_COPIES = 32 };

static void measure_chain(struct machine *machine, const struct chain *chain)
{
	/* The cells are in lines of their own, and the first one has room for a vector. */
	static uint64_t cells[16] __attribute__((aligned(64)));
	const struct timed_code_body body = {.bytes = chain->bytes,
					     .n_bytes = chain->n_bytes,
					     .n_copies = CHAIN_COPIES};
	const struct timed_code_body other = {.bytes = chain->other,
					      .n_bytes = chain->n_other,
					      .n_copies = CHAIN_COPIES};
	struct clock_result result, other_result = {0};
	struct timed_code_state state;
	uint64_t *zero = &cells[8];

	cells[0] = (uintptr_t)cells;
	*zero = 0;
	timed_code_state_init(&state, 0, sizeof(uint64_t));
	state.general[GENERAL_RAX] = state.general[GENERAL_RBX] = state.general[GENERAL_RSI] = (uintptr_t)cells;
	state.general[GENERAL_RCX] = (uintptr_t)zero;
	state.general[GENERAL_RDX] = state.general[GENERAL_RDI] = 0;
	if (!machine_time(machine, &body, &state, &result) ||
	    (chain->other && !machine_time(machine, &other, &state, &other_result))) {
		machine_add_missing(machine, chain->key, NOISY);
		return;
	}
	result.mcyc -= other_result.mcyc;
	machine_add(machine, chain->key, chain->how, &result);
}

void machine_measure_loads(struct machine *machine)
{
	for (size_t i = 0; i < ARRAY_LENGTH(chains); i++)
		measure_chain(machine, &chains[i]);
	machine_add_missing(machine, "vector_load_latency",
			    "only the sum of a load and the move to a general register can be measured");
}

/* A misprediction costs the loop below more than mispredict_cycles: the first instruction of the right path starts
 * later than it issues, and the branch executes after the addition. In the simulation of this loop a misprediction
 * costs 3.5 cycles more if mispredict_cycles is 10, 3.7 if it is 15 and 3.9 if it is 20. */
#define RESOLUTION_MCYC 3700

/* Knuth's MMIX generator in RAX, with its factor in RCX and its addend in RDX, and a branch that skips an instruction
 * if the bits of RSI are clear. The chain is the slowest part of the loop, so mispredictions add the cycles from one
 * right path to the next. The generator continues from call to call, so no predictor learns its sequence. */
static bool time_branches(struct machine *machine, uint64_t mask, struct clock_result *out)
{
	static const uint8_t branch[] = {
		0x48, 0x0f, 0xaf, 0xc1, /* imul rax, rcx */
		0x48, 0x01, 0xd0,	/* add rax, rdx */
		0x48, 0x85, 0xf0,	/* test rax, rsi */
		0x74, 0x01,		/* jz after the nop */
		0x90,			/* nop */
		0xeb, 0x00,		/* jmp to the next instruction */
	};
	static const uint8_t keep_state[] = {0x48, 0x89, 0x03}; /* mov [rbx], rax */
	const struct timed_code_body body = {.bytes = branch,
					     .n_bytes = sizeof(branch),
					     .n_copies = 4,
					     .after = keep_state,
					     .n_after = sizeof(keep_state)};
	struct timed_code_state state;

	timed_code_state_init(&state, 0, sizeof(uint64_t));
	state.general[GENERAL_RAX] = 88172645463325252;
	state.general[GENERAL_RCX] = 6364136223846793005;
	state.general[GENERAL_RDX] = 1442695040888963407;
	state.general[GENERAL_RSI] = mask;
	state.general[GENERAL_RBX] = (uintptr_t)&state.general[GENERAL_RAX];
	return machine_time(machine, &body, &state, out);
}

void machine_measure_misprediction(struct machine *machine)
{
	struct clock_result random, predicted, again;

	if (!time_branches(machine, UINT64_C(1) << 40, &random) || !time_branches(machine, 0, &predicted)) {
		machine_add_missing(machine, "mispredict_cycles", NOISY);
		return;
	}
	/* Another hardware thread of the core delays the right path, so the result is the fastest time. */
	for (int i = 0; i < MISPREDICTION_ATTEMPTS; i++)
		if (time_branches(machine, UINT64_C(1) << 40, &again) && again.mcyc < random.mcyc)
			random = again;
	random.mcyc = (random.mcyc - predicted.mcyc) * 2 - RESOLUTION_MCYC; /* half of the branches are mispredicted */
	machine_add(machine, "mispredict_cycles",
		    "random branches, minus predictable ones, minus the time to execute the branch", &random);
}
