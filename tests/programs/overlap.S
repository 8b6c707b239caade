/* A jump into the middle of itself: the same byte in two instructions.
 *
 * ANSWER
 *   region overlap: visits 1, instructions 3
 *     1  XOR r32, r32 (same)
 *     1  JMP rel8
 *     1  INC r32
 */
#include "region.inc"

	.globl _start
_start:
	BEGIN overlap
	xor eax, eax
	.byte 0xeb, 0xff, 0xc0	/* jmp to its second byte, where ff c0 is inc eax */
	END overlap
	mov edi, eax
	dec edi
	KERNEL 231
