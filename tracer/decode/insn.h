/* One decoded instruction, and its form. Does not include Zydis, so that profile/, costmodels/ and report/ may use
 * it. */
#ifndef ITRACE_DECODE_INSN_H
#define ITRACE_DECODE_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INSN_MAX_BYTES 15 /* Intel SDM vol. 2, 2.3.11: longer encodings raise #GP */

/* The kind of an instruction's successor. */
enum insn_flow {
	FLOW_NEXT,	    /* always to the next instruction */
	FLOW_BRANCH,	    /* conditional, relative: next or target (jcc, loop, jrcxz, xbegin) */
	FLOW_JUMP,	    /* unconditional, relative */
	FLOW_JUMP_INDIRECT, /* near or far, through register or memory */
	FLOW_CALL,	    /* relative */
	FLOW_CALL_INDIRECT, /* near or far, through register or memory */
	FLOW_RETURN,	    /* ret, retf, iret */
	FLOW_SYSCALL,	    /* syscall, sysenter */
	FLOW_INTERRUPT,	    /* int n, int1, int3, into */
	FLOW_STOP,	    /* hlt, ud0/1/2: has no successor */
} __attribute__((packed));

/* This struct is small, because an engine keeps one for each instruction of a program. */
struct insn {
	uint8_t length; /* in bytes, 1 to 15 */
	uint8_t bytes[INSN_MAX_BYTES];
	int32_t displacement; /* relative flows: target address - address of the next instruction; else 0 */
	enum insn_flow flow;
	uint8_t rep_count_bits;	  /* REP-prefixed string instruction: width of its counter (16, 32, 64); else 0 */
	uint8_t interrupt_vector; /* FLOW_INTERRUPT: 3 for int3, 1 for int1, n for int n */
	bool delays_debug_trap;	  /* MOV to SS: the next instruction executes before any debug trap */
	bool pushes_flags;	  /* PUSHF family: leaves RFLAGS on top of the stack */
	bool pops_flags;	  /* POPF, IRET: may set the trap flag */
	/* Size of the displacement and immediates that end the instruction. Their values do not affect the form. */
	uint8_t trailing_constant_bytes;
};

/* Decodes the instruction that begins at bytes[0]. Returns false if bytes[n_bytes] do not begin with a complete and
 * valid instruction of 64-bit mode. *out is then unchanged. */
bool insn_decode(const uint8_t *bytes, size_t n_bytes, struct insn *out);

#define FORM_TEXT_BYTES 128

/* The form of an instruction is its mnemonic and the kinds of its operands. It is the key of a cost table and of
 * groups in reports. tracer/decode/FORMS.md defines it. All texts are NUL-terminated printable ASCII. */
struct form {
	char text[FORM_TEXT_BYTES]; /* e.g. "ADD r64, m64", "LOCK XADD m32, r32", "REP MOVSB m8, m8" */
	char mnemonic[32];	    /* e.g. "ADD", without prefixes */
	char category[32];	    /* lower case, e.g. "binary", "dataxfer" */
	char isa_extension[32];	    /* lower case, e.g. "base", "sse2", "avx512evex" */
};

/* Writes the form of an instruction that insn_decode accepts. Other bytes have the form "(undecodable)". */
void form_of_bytes(const uint8_t *bytes, size_t n_bytes, struct form *out);

/* Disassembles one instruction in Intel syntax. Branch targets and RIP-relative operands are absolute addresses,
 * computed from va. Undecodable bytes give "(undecodable)". */
void insn_disassemble(const uint8_t *bytes, size_t n_bytes, uint64_t va, char *text, size_t text_bytes);

#endif
