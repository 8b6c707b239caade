/* Appends code to a fragment: state map, exit stubs, the program's R11, relocated instructions. */
#ifndef ITRACE_ENGINE_TRANSLATE_EMIT_EMITTER_H
#define ITRACE_ENGINE_TRANSLATE_EMIT_EMITTER_H

#include "engine/translate/build/block_ir.h"
#include "engine/translate/translator.h"

/* A rel32 that is to lead to the fragment at va. */
struct branch_fixup {
	uint64_t patch_va, va;
	uint32_t counter; /* counts that it was taken, or COUNTER_NONE */
	uint32_t head;	  /* of the log record of this side exit, or LOG_NO_HEAD; meaningless without a counter */
};

/* A rel32 that is taken when an indirect branch inside a trace does not lead to the expected target. The program's
 * RCX is in the area and the target in R11. */
struct misprediction_fixup {
	uint64_t patch_va;
	uint32_t counter, site;
	uint32_t head; /* as in struct branch_fixup */
};

/* A rel32 that is to lead to eight bytes of data. */
struct literal_fixup {
	uint64_t patch_va, value;
};

/* Code and addresses that are completed behind the last of several fragments laid out one after the other. */
struct fixups {
	struct branch_fixup *branches;
	size_t n_branches, branches_capacity;
	struct misprediction_fixup *mispredictions;
	size_t n_mispredictions, mispredictions_capacity;
	struct literal_fixup *literals;
	size_t n_literals, literals_capacity;
};

void fixups_deinit(struct fixups *fixups);

/* The fragment that is being emitted, and where its code goes to. */
struct emission {
	const struct block_ir *ir;
	uint32_t fragment; /* index */
	struct fixups *fixups;
};

/* Begins a fragment for va at the end of the current zone. */
struct fragment *emit_begin_fragment(struct translator *translator, uint64_t va);

/* The state of the program at the code emitted next. */
void emit_state(struct translator *translator, enum state_kind kind, size_t insn);

/* STATE_INTERNAL, with all registers but R11 the program's; R11 in its register. */
void emit_plain_state(struct translator *translator);

/* Emits an exit stub, at the address that is returned. */
uint64_t emit_exit_stub(struct translator *translator, struct exit_stub stub);

/* Emits a rel32 that is to lead to the fragment at va. */
void emit_branch(struct translator *translator, struct fixups *fixups, struct branch_fixup branch);

/* Adds a counter for instruction insn of the fragment emitted. */
uint32_t emit_add_counter(struct translator *translator, enum counter_kind kind, const struct emission *emission,
			  size_t insn);

/* The program's R11: saves it to the area, too; restores it to the register; makes the register free for use, with
 * the state for what follows. */
void emit_save_r11(struct translator *translator);
void emit_restore_r11(struct translator *translator);
void emit_take_r11(struct translator *translator, enum state_kind kind, size_t insn);

/* Puts R11 where code at va expects it. */
void emit_place_r11(struct translator *translator, uint64_t va);

/* Code for va begins here: R11 is where it is expected. */
void emit_expect_r11(struct translator *translator, uint64_t va);

/* Copies an instruction so that its RIP-relative displacement, if displacement_offset is not 0, leads to the same
 * address. next_va: of the program, behind the instruction. */
void emit_relocated(struct zone *zone, const uint8_t *bytes, size_t length, size_t displacement_offset,
		    uint64_t next_va);

/* If instruction i has a RIP-relative operand out of reach: takes R11 and loads the operand's address into it. */
bool emit_far_address(struct translator *translator, const struct block_ir *ir, size_t i);

/* Pushes an address of the program. */
void emit_push_va(struct translator *translator, struct fixups *fixups, uint64_t va);

#endif
