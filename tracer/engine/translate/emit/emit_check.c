#include "engine/translate/emit/emit_check.h"

#include "engine/translate/emit/encode.h"

/* Loads 1, 2, 4 or 8 bytes of the program into RCX. The program may have made them inaccessible: then the load faults
 * as the program's own fetch of the instruction would. */
static void emit_load(struct zone *zone, uint64_t va, size_t n_bytes)
{
	bool is_near = cache_serves(zone, va);

	if (!is_near) {
		EMIT(zone, 0x48, 0xb9); /* mov rcx, imm64 */
		emit_64(zone, va);
	}
	if (n_bytes == 8)
		EMIT(zone, 0x48, 0x8b); /* mov rcx, ... */
	else if (n_bytes == 4)
		EMIT(zone, 0x8b); /* mov ecx, ... */
	else
		EMIT(zone, 0x0f, n_bytes == 2 ? 0xb7 : 0xb6); /* movzx ecx, ... */
	EMIT(zone, is_near ? 0x0d : 0x09);		      /* [rip + disp32] or [rcx] */
	if (is_near)
		emit_relative(zone, va);
}

/* Goes to differ_va if the program's bytes at va differ from the expected ones. */
static void emit_compare(struct zone *zone, uint64_t va, const uint8_t *expected, size_t n_bytes, uint64_t differ_va)
{
	uint64_t value = 0;

	memcpy(&value, expected, n_bytes);
	emit_load(zone, va, n_bytes);
	EMIT(zone, 0x49, 0xbb); /* mov r11, imm64 */
	emit_64(zone, -value);
	/* lea rcx, [rcx + r11]; jrcxz over the next one; jmp differ_va */
	EMIT(zone, 0x4a, 0x8d, 0x0c, 0x19, 0xe3, 0x05, 0xe9);
	emit_relative(zone, differ_va);
}

void emit_check(struct translator *translator, const struct block_ir *ir)
{
	uint8_t expected[CHECKED_BYTES_MAX + INSN_MAX_BYTES];
	struct zone *zone = translator->emitter.zone;
	size_t n_bytes = ir->end_va - ir->va, chunk = 8;
	uint64_t differ_va;

	for (size_t i = 0; i < ir->n_insns; i++)
		memcpy(expected + (ir->insns[i].va - ir->va), ir->insns[i].insn.bytes, ir->insns[i].insn.length);
	emit_state(translator, STATE_CLEAN, 0);
	emit_save_r11(translator);
	emit_area(zone, STORE_RCX, AREA_RCX);
	emit_take_r11(translator, STATE_RCX_IN_AREA, 0);
	EMIT(zone, 0xeb, 0x0a); /* jmp over the next two */
	differ_va = emit_va(zone);
	emit_area(zone, LOAD_RCX, AREA_RCX);
	emit_exit_stub(translator, (struct exit_stub){.kind = EXIT_LINK, .va = ir->va, .r11_in_area = true});
	while (chunk > n_bytes)
		chunk /= 2;
	for (size_t i = 0; i < n_bytes; i += chunk) {
		/* The last chunk overlaps the one before. */
		if (i + chunk > n_bytes)
			i = n_bytes - chunk;
		emit_compare(zone, ir->va + i, expected + i, chunk, differ_va);
	}
	emit_area(zone, LOAD_RCX, AREA_RCX);
}
