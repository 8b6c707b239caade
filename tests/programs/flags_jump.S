/* Flags of a comparison that are looked at only where an indirect jump leads, as compilers leave them. The two targets have the same 16
 * low bits of address, and one of them overwrites the flags: they are not to be lost in telling the two apart.
 *
 * Three rounds: a jump to "plain", which comes back by a jump, then equal numbers are compared and "looks" jumped to.
 *
 * ANSWER --all
 *   region all: visits 1, instructions 28
 *     3  MOV r32, imm32
 *     6  JMP m64
 *     3  XOR r32, r32 (same)
 *     3  JMP rel32
 *     3  CMP r32, r32 (same)
 *     3  JNZ rel8
 *     3  DEC r32
 *     3  JNZ rel32
 *     1  SYSCALL
 *     syscall exit_group 1
 */
#include "region.inc"

	.globl _start
_start:
	mov ebx, 3
round:
	jmp [rip + to_plain]
back:
	cmp ebx, ebx
	jmp [rip + to_looks]

	.balign 65536
plain:
	xor eax, eax
	jmp back

	.balign 65536
looks:
	jne wrong
	dec ebx
	jnz round
	EXIT 0
wrong:
	EXIT 1

	.section .rodata
	.balign 8
to_plain:
	.8byte plain
to_looks:
	.8byte looks
