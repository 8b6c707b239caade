#include "decode/encodings.h"

#include <string.h>

#include "base/array.h"

struct sweep {
	encodings_visit *visit;
	void *context;
};

struct bytes {
	uint8_t n, bytes[4];
};

/* Visits an instruction built from prefixes, an opcode, a ModRM, and a tail with SIB, displacement and immediates. */
static void visit_with_sib(const struct sweep *sweep, const uint8_t *prefix, size_t n_prefix, int opcode, int modrm,
			   int sib)
{
	static const uint8_t tail[] = {0x31, 0x10, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00};
	uint8_t bytes[INSN_MAX_BYTES + sizeof(tail)];

	memcpy(bytes, prefix, n_prefix);
	bytes[n_prefix] = (uint8_t)opcode;
	bytes[n_prefix + 1] = (uint8_t)modrm;
	bytes[n_prefix + 2] = (uint8_t)sib;
	memcpy(bytes + n_prefix + 3, tail, sizeof(tail));
	sweep->visit(sweep->context, bytes);
}

static void visit_built(const struct sweep *sweep, const uint8_t *prefix, size_t n_prefix, int opcode, int modrm)
{
	visit_with_sib(sweep, prefix, n_prefix, opcode, modrm, 0x4d);
}

/* ModRM bytes: every value of reg with a base register, with SIB and with a register; then RIP-relative, and other
 * bases and registers. */
static const uint8_t few_modrms[] = {
	0x00, 0x08, 0x10, 0x18, 0x20, 0x28, 0x30, 0x38, 0x04, 0x0c, 0x14, 0x1c, 0x24, 0x2c, 0x34, 0x3c, 0xc0, 0xc8,
	0xd0, 0xd8, 0xe0, 0xe8, 0xf0, 0xf8, 0x05, 0x41, 0x44, 0x81, 0x84, 0xca, 0xd3, 0xdc, 0xe5, 0xee, 0xf7, 0xfa,
};

static void visit_modrms(const struct sweep *sweep, const uint8_t *prefix, size_t n_prefix, int opcode)
{
	for (size_t i = 0; i < ARRAY_LENGTH(few_modrms); i++)
		visit_built(sweep, prefix, n_prefix, opcode, few_modrms[i]);
}

static void visit_opcodes(const struct sweep *sweep, const uint8_t *prefix, size_t n_prefix)
{
	for (int opcode = 0; opcode < 256; opcode++)
		visit_modrms(sweep, prefix, n_prefix, opcode);
}

/* LEA has a form for each combination of base, index, scale and displacement. */
static void visit_lea(const struct sweep *sweep, const struct bytes *prefix)
{
	static const uint8_t modrms[] = {0x04, 0x44, 0x84};

	for (size_t i = 0; i < ARRAY_LENGTH(modrms); i++)
		for (int sib = 0; sib < 256; sib++)
			visit_with_sib(sweep, prefix->bytes, prefix->n, 0x8d, modrms[i], sib);
}

static void visit_legacy(const struct sweep *sweep)
{
	enum { N_FULL = 5 }; /* the first prefixes are combined with every ModRM */
	static const struct bytes prefixes[] = {
		{0, {0}},	   {1, {0x66}},
		{1, {0xf2}},	   {1, {0xf3}},
		{1, {0x48}},	   {1, {0xf0}},
		{1, {0x67}},	   {1, {0x40}},
		{1, {0x45}},	   {2, {0x66, 0x48}},
		{2, {0xf2, 0x48}}, {2, {0xf3, 0x48}},
		{2, {0x66, 0xf2}}, {2, {0x66, 0xf3}},
		{2, {0xf0, 0x48}}, {2, {0xf0, 0x66}},
		{2, {0x2e, 0x66}}, {2, {0x67, 0x48}},
		{1, {0x64}},	   {1, {0x3e}},
		{2, {0xf2, 0xf0}}, {3, {0xf3, 0x67, 0x66}},
		{2, {0xf3, 0xf0}}, {1, {0x4f}},
	};
	static const struct bytes maps[] = {{0, {0}}, {1, {0x0f}}, {2, {0x0f, 0x38}}, {2, {0x0f, 0x3a}}};

	for (size_t p = 0; p < ARRAY_LENGTH(prefixes); p++) {
		for (size_t m = 0; m < ARRAY_LENGTH(maps); m++) {
			uint8_t bytes[2 * sizeof(prefixes->bytes)];
			size_t n = prefixes[p].n + maps[m].n;

			memcpy(bytes, prefixes[p].bytes, prefixes[p].n);
			memcpy(bytes + prefixes[p].n, maps[m].bytes, maps[m].n);
			for (int opcode = 0; opcode < 256; opcode++) {
				for (int modrm = 0; p < N_FULL && modrm < 256; modrm++)
					visit_built(sweep, bytes, n, opcode, modrm);
				if (p >= N_FULL)
					visit_modrms(sweep, bytes, n, opcode);
			}
		}
		visit_lea(sweep, &prefixes[p]);
	}
	for (int opcode = 0; opcode < 256; opcode++) { /* 3DNow!, whose opcode comes last */
		const uint8_t reg[INSN_MAX_BYTES] = {0x0f, 0x0f, 0xc1, (uint8_t)opcode};
		const uint8_t mem[INSN_MAX_BYTES] = {0x0f, 0x0f, 0x07, (uint8_t)opcode};

		sweep->visit(sweep->context, reg);
		sweep->visit(sweep->context, mem);
	}
}

/* Visits C4 and 8F with every map, pp, L and W; with vvvv unused (1111b, inverted) and used. */
static void visit_vex_xop(const struct sweep *sweep)
{
	for (int map = 1; map <= 10; map++) {
		for (int low = 0; low < 16; low++) {
			uint8_t w_l_pp = (uint8_t)((low & 8) << 4 | (low & 7));
			const uint8_t unused[] = {map < 8 ? 0xc4 : 0x8f, (uint8_t)(0xe0 | map), w_l_pp | 0x78};
			const uint8_t used[] = {map < 8 ? 0xc4 : 0x8f, (uint8_t)(0xe0 | map), w_l_pp | 0x68};

			if (map > 3 && map < 8)
				continue; /* these maps have no instructions */
			visit_opcodes(sweep, unused, sizeof(unused));
			visit_opcodes(sweep, used, sizeof(used));
		}
	}
}

/* Visits an instruction with vvvv unused and used. */
static void visit_62(const struct sweep *sweep, int map, int p1, int p2)
{
	const uint8_t unused[] = {0x62, (uint8_t)(0xf0 | map), (uint8_t)(p1 | 0x78), (uint8_t)p2};
	const uint8_t used[] = {0x62, (uint8_t)(0xf0 | map), (uint8_t)(p1 | 0x68), (uint8_t)p2};

	visit_opcodes(sweep, unused, sizeof(unused));
	visit_opcodes(sweep, used, sizeof(used));
}

/* Visits 62 with every map, pp, W, vector length or rounding, and broadcast; without mask, with merging, and with
 * zeroing. */
static void visit_evex(const struct sweep *sweep)
{
	static const uint8_t masks[] = {0x00, 0x01, 0x81};

	for (int map = 1; map <= 6; map++)
		for (int w_pp = 0; w_pp < 8; w_pp++)
			for (int length_b = 0; length_b < 8; length_b++)
				for (size_t i = 0; i < ARRAY_LENGTH(masks); i++)
					visit_62(sweep, map, (w_pp & 4) << 5 | 0x04 | (w_pp & 3),
						 length_b << 4 | 0x08 | masks[i]);
}

/* Visits the encoding of Knights Corner, which is EVEX with a 0 before pp, and with swizzle, broadcast or conversion
 * in place of the length. */
static void visit_mvex(const struct sweep *sweep)
{
	for (int map = 1; map <= 3; map++)
		for (int w_pp = 0; w_pp < 8; w_pp++)
			for (int e_sss = 0; e_sss < 16; e_sss++)
				visit_62(sweep, map, (w_pp & 4) << 5 | (w_pp & 3), e_sss << 4 | 0x08 | (w_pp & 1));
}

void encodings_for_each(encodings_visit *visit, void *context)
{
	const struct sweep sweep = {visit, context};

	visit_legacy(&sweep);
	visit_vex_xop(&sweep);
	visit_evex(&sweep);
	visit_mvex(&sweep);
}
