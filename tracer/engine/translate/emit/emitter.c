#include "engine/translate/emit/emitter.h"

#include "base/array.h"
#include "engine/translate/build/liveness.h"
#include "engine/translate/emit/encode.h"

struct fragment *emit_begin_fragment(struct translator *translator, uint64_t va)
{
	const struct zone *zone = translator->emitter.zone;

	return fragments_add(&translator->fragments, (size_t)(zone - translator->cache.zones), emit_va(zone), va);
}

void emit_state(struct translator *translator, enum state_kind kind, size_t insn)
{
	const struct emitter *emitter = &translator->emitter;

	fragments_add_state(&translator->fragments, emit_va(emitter->zone),
			    (struct state_map_entry){.insn = (uint8_t)insn,
						     .kind = (uint8_t)kind,
						     .r11_in_area = !emitter->r11_in_register,
						     .has_program_value = emitter->has_program_value});
}

void emit_plain_state(struct translator *translator)
{
	fragments_add_state(&translator->fragments, emit_va(translator->emitter.zone),
			    (struct state_map_entry){.kind = STATE_INTERNAL});
}

uint64_t emit_exit_stub(struct translator *translator, struct exit_stub stub)
{
	struct zone *zone = translator->emitter.zone;
	uint64_t stub_va = emit_va(zone);

	fragments_add_exit_stub(&translator->fragments, stub_va, stub);
	EMIT(zone, 0xcc);
	return stub_va;
}

void emit_branch(struct translator *translator, struct fixups *fixups, struct branch_fixup branch)
{
	branch.patch_va = emit_rel32(translator->emitter.zone);
	*ARRAY_ADD(fixups, branches) = branch;
}

uint32_t emit_add_counter(struct translator *translator, enum counter_kind kind, const struct emission *emission,
			  size_t insn)
{
	return fragments_add_counter(&translator->fragments, kind, emission->fragment, insn);
}

void emit_save_r11(struct translator *translator)
{
	if (!translator->emitter.r11_in_area)
		emit_area(translator->emitter.zone, STORE_R11, AREA_R11);
	translator->emitter.r11_in_area = true;
}

void emit_restore_r11(struct translator *translator)
{
	if (!translator->emitter.r11_in_register)
		emit_area(translator->emitter.zone, LOAD_R11, AREA_R11);
	translator->emitter.r11_in_register = true;
}

void emit_take_r11(struct translator *translator, enum state_kind kind, size_t insn)
{
	emit_save_r11(translator);
	translator->emitter.r11_in_register = false;
	emit_state(translator, kind, insn);
}

void emit_place_r11(struct translator *translator, uint64_t va)
{
	if (liveness_r11_in_register_at(translator, va, translator->emitter.r11_was_used))
		emit_restore_r11(translator);
	else
		emit_save_r11(translator);
}

void emit_expect_r11(struct translator *translator, uint64_t va)
{
	struct emitter *emitter = &translator->emitter;

	emitter->r11_in_register = liveness_r11_in_register_at(translator, va, emitter->r11_was_used);
	emitter->r11_was_used |= emitter->r11_in_register;
	emitter->r11_in_area = !emitter->r11_in_register;
}

void emit_relocated(struct zone *zone, const uint8_t *bytes, size_t length, size_t displacement_offset,
		    uint64_t next_va)
{
	uint64_t begin_va = emit_va(zone);
	int32_t displacement;

	emit_bytes(zone, bytes, length);
	if (!displacement_offset)
		return;
	memcpy(&displacement, bytes + displacement_offset, sizeof(displacement));
	displacement = (int32_t)(next_va + (uint64_t)(int64_t)displacement - (begin_va + length));
	memcpy(zone_bytes(zone, begin_va) + displacement_offset, &displacement, sizeof(displacement));
}

void emit_absolute(struct translator *translator, struct zone *zone, enum absolute_kind kind, uint64_t value)
{
	*ARRAY_ADD(&translator->fragments, absolutes) = (struct absolute){.at_va = emit_va(zone), .kind = kind};
	emit_64(zone, value);
}

void emit_push_va(struct translator *translator, struct fixups *fixups, uint64_t va)
{
	struct zone *zone = translator->emitter.zone;

	if (va <= INT32_MAX) {
		EMIT(zone, 0x68); /* push imm32 */
		emit_32(zone, (uint32_t)va);
		return;
	}
	EMIT(zone, 0xff, 0x35); /* push [rip + disp32] */
	*ARRAY_ADD(fixups, literals) = (struct literal_fixup){.patch_va = emit_rel32(zone), .value = va};
}
