/* Instructions in the two pipes of a Pentium (tests/golden/pairing.txt). Which pipe, and in which cycle:
 *
 *   mov ecx, 4              U  1
 *   xor eax, eax            V  1
 *   lea rdx, [words]        U  2              the next one needs rdx
 *   1: add eax, [rdx]       U  4-5            3 is lost: an address needs rdx, written in the cycle before. In the
 *      add rdx, 4           V  4-5            second round and later none is lost
 *      dec ecx              U  6
 *      jnz 1b               V  6
 *   three rounds more          7-9 10-12 13-15
 *   mov [sum], eax          U  16
 *
 * 9 of 20 instructions in V. If lea and add went together, the first round would be over in cycle 5: (mov, xor),
 * (lea, add), (add, dec), jnz.
 *
 * ANSWER
 *   region pairs: visits 1, instructions 20
 *     1  MOV r32, imm32
 *     1  XOR r32, r32 (same)
 *     1  LEA r64, [rip+d]
 *     4  ADD r32, m32
 *     4  ADD r64, imm8
 *     4  DEC r32
 *     4  JNZ rel8
 *     1  MOV m32, r32
 */
#include "region.inc"

	.globl _start
_start:
	BEGIN pairs
	mov ecx, 4
	xor eax, eax
	lea rdx, [rip + words]
1:	add eax, [rdx]
	add rdx, 4
	dec ecx
	jnz 1b
	mov [rip + sum], eax
	END pairs
	EXIT 0

	.section .rodata
words:	.long 1, 2, 3, 4
	.bss
sum:	.skip 4
