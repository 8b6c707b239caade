/* The operands of one instruction, and the registers and flags that it reads and writes, for estimators that follow
 * dependences. Does not include Zydis.
 *
 * A register number stands for all parts of the register, such as AL, AH, AX, EAX and RAX. first_bit and bits define
 * the part. A conditional write (CMOV, REP with a count of 0) counts as a write.
 */
#ifndef ITRACE_DECODE_INSN_OPERANDS_H
#define ITRACE_DECODE_INSN_OPERANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INSN_MAX_OPERANDS 10
#define INSN_N_GENERAL 16
#define INSN_N_ST 8

enum insn_register_file {
	REGISTER_NONE,
	REGISTER_GENERAL, /* number in encodings: RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8 ... R15 */
	REGISTER_VECTOR,  /* XMM, YMM or ZMM 0 to 31 */
	REGISTER_MMX,
	/* Relative to the top of the stack before the instruction; for a pushed value, to the top after it. */
	REGISTER_ST,
	REGISTER_MASK,
	REGISTER_FLAGS,	     /* insn_register_set.flags has the single flags */
	REGISTER_X87_STATUS, /* most x87 arithmetic also writes its exceptions here */
	REGISTER_IP,
	REGISTER_OTHER, /* segment, control, debug, MXCSR, tiles ... */
};

enum insn_general {
	GENERAL_RAX,
	GENERAL_RCX,
	GENERAL_RDX,
	GENERAL_RBX,
	GENERAL_RSP,
	GENERAL_RBP,
	GENERAL_RSI,
	GENERAL_RDI
};

struct insn_register {
	enum insn_register_file file;
	uint8_t number;
	uint8_t first_bit; /* 8 for AH, CH, DH, BH */
	uint16_t bits;
};

enum insn_segment { SEGMENT_FLAT, SEGMENT_FS, SEGMENT_GS };

enum insn_operand_kind { OPERAND_REGISTER, OPERAND_MEMORY, OPERAND_IMMEDIATE };

struct insn_operand {
	enum insn_operand_kind kind;
	bool is_read, is_written; /* of a memory operand: the memory is; false for LEA and NOP */
	bool is_hidden;		  /* assemblers do not write it: RSP of PUSH, RAX of MUL */
	uint16_t bits;
	struct insn_register reg;	  /* OPERAND_REGISTER */
	struct insn_register base, index; /* OPERAND_MEMORY; REGISTER_NONE if there is none */
	uint8_t scale;			  /* of the index, 1 to 8; 0 without one */
	int64_t displacement;		  /* OPERAND_MEMORY */
	enum insn_segment segment;	  /* OPERAND_MEMORY */
};

/* A bit for each register of a file, by number. */
struct insn_register_set {
	uint16_t general;
	uint32_t vector;
	uint8_t mmx, st, mask;
	uint32_t flags; /* bits of RFLAGS; undefined flags count as written */
	bool x87_status;
};

enum insn_encoding { ENCODING_LEGACY, ENCODING_VEX, ENCODING_EVEX, ENCODING_OTHER };

struct insn_operands {
	struct insn_operand operands[INSN_MAX_OPERANDS]; /* in the order of the manuals, hidden ones last */
	size_t n_operands;
	struct insn_register_set read, written; /* excludes registers that are only used in addresses */
	uint16_t address; /* bits of general registers that are used in addresses, also by LEA and PUSH */
	bool reads_memory, writes_memory;
	bool moves_stack;	    /* changes RSP implicitly: PUSH, POP, CALL, RET and the like */
	uint8_t displacement_bytes; /* of an address's displacement */
	uint8_t immediate_bytes;    /* excludes a branch displacement */
	uint8_t relative_bytes;	    /* of a branch displacement */
	enum insn_encoding encoding;
	uint8_t opcode_map;				    /* ENCODING_LEGACY: 0 one byte, 1 0F, 2 0F38, 3 0F3A */
	uint8_t n_prefixes;				    /* bytes before the opcode, except REX, VEX and the like */
	bool has_rex, has_address_size_prefix, is_repeated; /* is_repeated: a string instruction with REP */
	bool has_modrm;
	int8_t st_pushes; /* number of registers pushed to the x87 stack, -2 to 1; negative: popped */
};

/* Decodes bytes that insn_decode accepts. For other bytes it returns false and does not change *out. */
bool insn_operands_decode(const uint8_t *bytes, size_t n_bytes, struct insn_operands *out);

/* Returns true if an operand that the form shows is RSP, or memory based on RSP. */
bool insn_operands_name_stack(const struct insn_operands *operands);

#endif
