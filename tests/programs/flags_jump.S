/* Flags of a comparison that are looked at only where an indirect jump leads, as compilers leave them; and of an
 * arithmetic instruction, as
 * sums of several words in assembly do. The targets have the same 16 low bits of address, and one of them overwrites
 * the flags: they are
 * not to be lost in telling them apart.
 *
 * Three rounds: a jump to "plain", which comes back by a jump, then equal numbers are compared and "looks" jumped to,
 * then 3 is negated, for a
 * carry and an odd number of ones in the low byte (0xfd), and "carries" jumped to.
 *
 * ANSWER --all
 *   region all: visits 1, instructions 43
 *     6  MOV r32, imm32
 *     9  JMP m64
 *     3  XOR r32, r32 (same)
 *     3  JMP rel32
 *     3  CMP r32, r32 (same)
 *     6  JNZ rel32
 *     3  NEG r32
 *     3  JNB rel8
 *     3  JP rel8
 *     3  DEC r32
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
	mov eax, 3
	neg eax
	jmp [rip + to_carries]

	.balign 65536
carries:
	jnc wrong
	jp wrong
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
to_carries:
	.8byte carries
