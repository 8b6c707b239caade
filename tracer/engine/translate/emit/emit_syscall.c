#include "engine/translate/emit/emit_syscall.h"

#include "engine/translate/emit/emit_edges.h"
#include "engine/translate/emit/emit_log.h"
#include "engine/translate/emit/encode.h"

/* Leaves translated code unless the call is native. RCX and R11, which the kernel overwrites, are free for use. */
static void emit_check(struct translator *translator, uint64_t va)
{
	struct zone *zone = translator->emitter.zone;
	uint32_t exit_from;

	EMIT(zone, 0x89, 0xc1, 0x0f, 0xc9, 0x0f, 0xb7, 0xc9); /* mov ecx, eax; bswap ecx; movzx ecx, cx */
	EMIT(zone, 0xe3, 0x02, 0xeb, 0x00);		      /* jrcxz over; jmp out; over: */
	exit_from = (uint32_t)zone->n_used;
	EMIT(zone, 0x0f, 0xb7, 0xc8);	    /* movzx ecx, ax */
	EMIT(zone, 0x65, 0x0f, 0xb6, 0x89); /* movzx ecx, byte gs:[rcx + AREA_SYSCALL_NATIVE] */
	emit_32(zone, AREA_SYSCALL_NATIVE);
	EMIT(zone, 0xe3, 0x02, 0xeb, 0x0a); /* jrcxz out; jmp over the next two; out: */
	zone->bytes[exit_from - 1] = (uint8_t)(zone->n_used - exit_from);
	emit_area(zone, LOAD_RCX, AREA_RCX);
	emit_exit_stub(translator, (struct exit_stub){.va = va, .kind = EXIT_STEP, .r11_in_area = true});
}

static void emit_count_number(struct zone *zone)
{
	EMIT(zone, 0x0f, 0xb7, 0xc8);		  /* movzx ecx, ax */
	EMIT(zone, 0x65, 0x4c, 0x8b, 0x1c, 0xcd); /* mov r11, gs:[rcx * 8 + AREA_SYSCALL_COUNTS] */
	emit_32(zone, AREA_SYSCALL_COUNTS);
	EMIT(zone, 0x4d, 0x8d, 0x5b, 0x01);	  /* lea r11, [r11 + 1] */
	EMIT(zone, 0x65, 0x4c, 0x89, 0x1c, 0xcd); /* mov gs:[rcx * 8 + AREA_SYSCALL_COUNTS], r11 */
	emit_32(zone, AREA_SYSCALL_COUNTS);
}

uint64_t emit_syscall(struct translator *translator, const struct emission *emission)
{
	struct fragment *fragment = translator_fragment(translator, emission->fragment);
	struct emitter *emitter = &translator->emitter;
	uint64_t end_va = emission->ir->end_va;
	struct zone *zone = emitter->zone;

	emit_state(translator, STATE_CLEAN, 0);
	emit_save_r11(translator);
	emit_area(zone, STORE_RCX, AREA_RCX);
	emit_take_r11(translator, STATE_SYSCALL, 0);
	emit_check(translator, emission->ir->va);
	emit_count_number(zone);
	emit_state(translator, STATE_SYSCALL_NUMBER, 0);
	emit_log_head(translator, emission->fragment);
	emit_area(zone, LOAD_R11, counter_offset(fragment->counter));
	EMIT(zone, 0x4d, 0x8d, 0x5b, 0x01); /* lea r11, [r11 + 1] */
	emit_area(zone, STORE_R11, counter_offset(fragment->counter));
	fragment->counted_va = emit_va(zone);
	emit_log_syscall_argument(translator);
	emit_state(translator, STATE_SYSCALL_SITE, 0);
	EMIT(zone, 0x0f, 0x05);
	emitter->r11_in_register = true; /* R11 holds the flags. */
	emitter->r11_in_area = false;
	emit_state(translator, STATE_SYSCALL_DONE, 1);
	EMIT(zone, 0x48, 0xb9); /* mov rcx, imm64 */
	emit_64(zone, end_va);
	emit_state(translator, STATE_INTERNAL, 1);
	emit_log_pointer(translator, STATE_INTERNAL, 1);
	emit_log_end(translator, emission->fragment, 1);
	emit_place_r11(translator, end_va);
	emit_edges_done(translator, emission->fragment, 1);
	return end_va;
}
