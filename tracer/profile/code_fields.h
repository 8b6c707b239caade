/* The fields of an x86-64 instruction, as far as its first bytes tell: what predicting code needs (FORMAT.md, "Code"). It is
 * part of the format of saved profiles, and so knows no more than the layout of the opcode maps: instructions that it
 * takes for others are saved as well, only in more bytes. Private to profile/.
 */
#ifndef ITRACE_PROFILE_CODE_FIELDS_H
#define ITRACE_PROFILE_CODE_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

/* How control may leave an instruction. */
enum code_transfer {
	CODE_NONE,
	CODE_CONDITIONAL, /* to its target, or it runs on */
	CODE_JUMP,
	CODE_CALL,
	CODE_RETURN,
	CODE_INDIRECT_JUMP,
	CODE_INDIRECT_CALL,
};

/* Offsets in the instruction; 0: there is none, or it is not known yet. */
struct code_fields {
	uint8_t opcode_end; /* behind prefixes and opcode */
	uint8_t modrm, sib;
	uint8_t displacement, n_displacement; /* bytes */
	uint8_t immediate, n_immediate;
	uint8_t length;	      /* 0: not known */
	bool is_rip_relative; /* the displacement */
	bool has_target;      /* the immediate is a distance from the end of the instruction */
	enum code_transfer transfer;
};

/* What the first n_bytes of an instruction tell; they may be all of them. */
void code_fields_find(const uint8_t *bytes, unsigned n_bytes, struct code_fields *fields);

/* What kind of instruction it is, as a context (coder.h): a hash of its prefixes and opcode. */
uint64_t code_fields_opcode(const uint8_t *bytes, unsigned n_bytes);

/* A displacement or immediate, sign-extended. */
int64_t code_fields_value(const uint8_t *bytes, unsigned n_bytes);

/* Where a direct jump or call leads; false: it is none. */
bool code_fields_target(const uint8_t *bytes, unsigned n_bytes, uint64_t va, enum code_transfer *transfer,
			uint64_t *target_va);

#endif
