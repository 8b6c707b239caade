/* Encodes the instructions that the translator inserts and appends them to a zone. Their memory operands are in the
 * area, which GS points to. */
#ifndef ITRACE_ENGINE_TRANSLATE_EMIT_ENCODE_H
#define ITRACE_ENGINE_TRANSLATE_EMIT_ENCODE_H

#include <string.h>

#include "engine/translate/cache.h"

static inline uint64_t emit_va(const struct zone *zone)
{
	return zone->va + zone->n_used;
}

static inline void emit_bytes(struct zone *zone, const void *bytes, size_t n_bytes)
{
	memcpy(zone->bytes + zone->n_used, bytes, n_bytes);
	zone->n_used += n_bytes;
}

static inline void emit_32(struct zone *zone, uint32_t value)
{
	emit_bytes(zone, &value, sizeof(value));
}

static inline void emit_64(struct zone *zone, uint64_t value)
{
	emit_bytes(zone, &value, sizeof(value));
}

#define EMIT(zone, ...) emit_bytes(zone, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* Pads with a NOP so that the four bytes that begin n_bytes further on can be replaced while threads execute them.
 * The four bytes must not cross a boundary of 16 bytes, the unit that Intel fetches (optimization manual, 2.5.2.1).
 * AMD guarantees such a replacement for aligned stores of 8 bytes (manual volume 2, 7.6.1) and fetches 32. */
static inline void emit_alignment(struct zone *zone, size_t n_bytes)
{
	static const uint8_t nops[][3] = {{0x90}, {0x66, 0x90}, {0x0f, 0x1f, 0x00}};
	size_t at = (zone->n_used + n_bytes) % 16;

	if (at > 12)
		emit_bytes(zone, nops[15 - at], 16 - at);
}

static inline void patch_32(uint8_t *bytes, int32_t value)
{
	__asm__ volatile("movl %1, %0" : "=m"(*(int32_t(*)[1])(void *)bytes) : "r"(value));
}

/* Emits a displacement to va, as the last field of an instruction. */
static inline void emit_relative(struct zone *zone, uint64_t va)
{
	emit_32(zone, (uint32_t)(va - (emit_va(zone) + 4)));
}

/* Emits a rel32 or disp32 that links_patch() sets later. Returns its address. */
static inline uint64_t emit_rel32(struct zone *zone)
{
	emit_32(zone, 0);
	return emit_va(zone) - 4;
}

/* Instructions with an operand gs:[disp32], without prefix and SIB: REX, opcode, ModRM with the register. */
enum area_access {
	STORE_RCX = 0x0c8948,
	LOAD_RCX = 0x0c8b48,
	STORE_RAX = 0x048948,
	LOAD_RAX = 0x048b48,
	STORE_R11 = 0x1c894c,
	LOAD_R11 = 0x1c8b4c,
	COMPARE_R11 = 0x1c3b4c,
	INCREMENT = 0x04ff48,
	STORE_R8 = 0x04894c,
	LOAD_R8 = 0x048b4c,
	LOAD_R11D = 0x1c8b44,
};

/* Returns STORE_R8 or LOAD_R8 for another register from R8 to R15. */
static inline enum area_access access_of(enum area_access access, uint8_t reg)
{
	return (enum area_access)(access | (uint32_t)(reg & 7) << 19);
}

static inline void emit_area(struct zone *zone, enum area_access access, uint32_t offset)
{
	EMIT(zone, 0x65, (uint8_t)access, (uint8_t)(access >> 8), (uint8_t)(access >> 16), 0x25);
	emit_32(zone, offset);
}

static inline uint32_t counter_offset(uint32_t counter)
{
	return AREA_COUNTERS + counter * 8;
}

/* Adds 1 to a counter through R11 or RCX, and keeps the flags. The register is free for use. */
static inline void emit_increment_by_r11(struct zone *zone, uint32_t counter)
{
	emit_area(zone, LOAD_R11, counter_offset(counter));
	EMIT(zone, 0x4d, 0x8d, 0x5b, 0x01); /* lea r11, [r11 + 1] */
	emit_area(zone, STORE_R11, counter_offset(counter));
}

static inline void emit_increment_by_rcx(struct zone *zone, uint32_t counter)
{
	emit_area(zone, LOAD_RCX, counter_offset(counter));
	EMIT(zone, 0x48, 0x8d, 0x49, 0x01); /* lea rcx, [rcx + 1] */
	emit_area(zone, STORE_RCX, counter_offset(counter));
}

/* Jumps through the table (AREA_TABLE) by the low 16 bits of the target, which R11 holds. */
static inline void emit_table_jump(struct zone *zone, uint32_t site)
{
	EMIT(zone, 0x65, 0x42, 0xff, 0x24, 0xdd); /* jmp gs:[r11 * 8 + disp32] */
	emit_32(zone, AREA_TABLE + site * 8);
}

#endif
