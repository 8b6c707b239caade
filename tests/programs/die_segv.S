/* SIGSEGV kills the program in the region. The instructions before it are counted, the faulting one is not.
 *
 * ANSWER
 *   region dying: visits 1, cut 1, instructions 2
 *     1  XOR r32, r32 (same)
 *     1  INC r32
 *   signal SIGSEGV
 */
#include "region.inc"

	.globl _start
_start:
	BEGIN dying
	xor ecx, ecx
	inc eax
	mov [rcx], eax
	END dying
	EXIT 0
