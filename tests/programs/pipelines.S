/* Loops whose cycles on a Skylake can be told by hand, and are: tests/golden/pipeline.txt has them.
 *
 *   multiply  a chain of multiplications of 3 cycles: 3 a round
 *   forward   what is stored is loaded in the next round: 4 until it is there, 1 to increment it; 5 a round
 *   issue     8 instructions, two of which are fused with each other: 7 slots, 4 a cycle, and a round begins a cycle: 2
 *   a round
 *
 * ANSWER
 *   region multiply: visits 1, instructions 901
 *     1  MOV r32, imm32
 *   300  IMUL r64, r64
 *   300  DEC r32
 *   300  JNZ rel8
 *   region forward: visits 1, instructions 901
 *     1  MOV r32, imm32
 *   300  INC m64
 *   300  DEC r32
 *   300  JNZ rel8
 *   region issue: visits 1, instructions 2401
 *     1  MOV r32, imm32
 *   600  NOP
 *   300  XOR r32, r32 (same)
 *   300  LEA r64, [b+d]
 *   600  MOV r64, imm32
 *   300  DEC r32
 *   300  JNZ rel8
 */
#include "region.inc"

	.globl _start
_start:
	.balign 64
	BEGIN multiply
	mov ecx, 300
1:	imul rax, rbx
	dec ecx
	jnz 1b
	END multiply
	lea rdi, [rip + place]
	.balign 64
	BEGIN forward
	mov ecx, 300
1:	inc qword ptr [rdi]
	dec ecx
	jnz 1b
	END forward
	.balign 64
	BEGIN issue
	mov ecx, 300
1:	nop
	nop
	xor eax, eax
	lea rdx, [rdi + 8]
	mov rsi, 1
	mov r8, 2
	dec ecx
	jnz 1b
	END issue
	EXIT 0

	.data
	.balign 8
place:	.quad 0
