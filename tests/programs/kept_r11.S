/* Instructions that leave their destination as it is: BSF and BSR of 0, RDSSPQ without a shadow stack. It is R11, which
 * translated code has use
 * for itself, at indirect jumps among others. It ends with the number of the case in which R11 was something else.
 *
 * Three rounds of three jumps: 3 + 3 * (3 * 6 + 2) + 3 instructions.
 *
 * ANSWER --all
 *   region all: visits 1, instructions 66
 *     12  MOV r32, imm32
 *     1  MOV r64, imm32
 *     1  XOR r32, r32 (same)
 *     9  LEA r64, [rip+d]
 *     9  JMP r64
 *     3  BSF r64, r64
 *     3  BSR r64, r64
 *     3  RDSSPQ r64
 *     9  CMP r64, imm32
 *     12  JNZ rel8
 *     3  DEC r32
 *     1  SYSCALL
 *     syscall exit_group 1
 */
#include "region.inc"

	.set VALUE, 0x1234567

	/* Leaves a target in R11, as far as translated code is concerned. */
	.macro JUMP case
	mov edi, \case
	lea rax, [rip + 1f]
	jmp rax
1:
	.endm

	.macro CHECK
	cmp r11, VALUE
	jne wrong
	.endm

	.globl _start
_start:
	mov ebx, 3
	xor edx, edx
	mov r11, VALUE
round:
	JUMP 1
	bsf r11, rdx
	CHECK
	JUMP 2
	bsr r11, rdx
	CHECK
	JUMP 3
	/* rdsspq r11 */
	.byte 0xf3, 0x49, 0x0f, 0x1e, 0xcb
	CHECK
	dec ebx
	jnz round
	EXIT 0
wrong:
	mov eax, 231
	syscall
