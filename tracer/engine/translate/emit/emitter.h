/* Appends code to a fragment: state map, exit stubs, the program's R11, relocated instructions. */
#ifndef ITRACE_ENGINE_TRANSLATE_EMIT_EMITTER_H
#define ITRACE_ENGINE_TRANSLATE_EMIT_EMITTER_H

#include "engine/translate/build/block_ir.h"
#include "engine/translate/translator.h"

/* A rel32 that must lead to the fragment at va. */
struct branch_fixup {
	uint64_t patch_va, va;
	uint32_t counter; /* counts that it was taken, or COUNTER_NONE */
	uint32_t head;	  /* head of the log record of this side exit, or LOG_NO_HEAD; unused without a counter */
};

/* A rel32 that is taken if an indirect branch inside a trace has an unexpected target. The program's RCX is then in
 * the area and the target in R11. */
struct misprediction_fixup {
	uint64_t patch_va;
	uint32_t counter, site;
	uint32_t head; /* as in struct branch_fixup */
};

/* A rel32 that must lead to eight bytes of data. */
struct literal_fixup {
	uint64_t patch_va, value;
};

/* Branches and literals to complete after the last of several consecutive fragments. */
struct fixups {
	struct branch_fixup *branches;
	size_t n_branches, branches_capacity;
	struct misprediction_fixup *mispredictions;
	size_t n_mispredictions, mispredictions_capacity;
	struct literal_fixup *literals;
	size_t n_literals, literals_capacity;
};

/* The fragment that is emitted now. */
struct emission {
	const struct block_ir *ir;
	uint32_t fragment; /* index of the fragment */
	struct fixups *fixups;
};

/* Begins a fragment for va at the end of the current zone. */
struct fragment *emit_begin_fragment(struct translator *translator, uint64_t va);

/* Sets the program's state for the code emitted next. */
void emit_state(struct translator *translator, enum state_kind kind, size_t insn);

/* Sets STATE_INTERNAL, with R11 in its register and all other registers the program's. */
void emit_plain_state(struct translator *translator);

/* Emits an exit stub. Returns its address. */
uint64_t emit_exit_stub(struct translator *translator, struct exit_stub stub);

/* Emits a rel32 that must lead to the fragment at va. */
void emit_branch(struct translator *translator, struct fixups *fixups, struct branch_fixup branch);

/* Adds a counter for instruction `insn` of the fragment that is emitted. */
uint32_t emit_add_counter(struct translator *translator, enum counter_kind kind, const struct emission *emission,
			  size_t insn);

/* The program's R11. The first function copies it to the area. The second one restores it to the register. The third
 * one frees the register for other use, and sets the state for the code that follows. */
void emit_save_r11(struct translator *translator);
void emit_restore_r11(struct translator *translator);
void emit_take_r11(struct translator *translator, enum state_kind kind, size_t insn);

/* Puts R11 where code at va expects it. */
void emit_place_r11(struct translator *translator, uint64_t va);

/* Code for va begins here: from now on R11 is in the place that this code expects. */
void emit_expect_r11(struct translator *translator, uint64_t va);

/* Copies an instruction. If displacement_offset is not 0, adjusts the RIP-relative displacement so that it leads to
 * the same address. next_va: address of the program after the instruction. */
void emit_relocated(struct zone *zone, const uint8_t *bytes, size_t length, size_t displacement_offset,
		    uint64_t next_va);

/* Emits eight bytes that hold an address, or the negative of one. */
void emit_absolute(struct translator *translator, struct zone *zone, enum absolute_kind kind, uint64_t value);

/* Pushes an address of the program. */
void emit_push_va(struct translator *translator, struct fixups *fixups, uint64_t va);

#endif
