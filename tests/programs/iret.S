/* IRETQ to the next instruction and to elsewhere, with flags that PUSHF left on the stack.
 *
 * ANSWER
 *   region iret: visits 1, instructions 11
 *     1  MOV r64, r64
 *     2  MOV r32, sreg
 *     4  PUSH r64
 *     1  PUSHFQ
 *     1  LEA r64, [rip+d]
 *     1  IRETQ
 *     1  INC r32
 */
#include "region.inc"

	.globl _start
_start:
	BEGIN iret
	mov rdx, rsp
	mov eax, ss
	push rax
	push rdx
	pushfq
	mov eax, cs
	push rax
	lea rax, [rip + 1f]
	push rax
	iretq
	inc ebx			/* jumped over */
1:	inc ecx
	END iret
	cmp rsp, rdx
	jne wrong
	test ebx, ebx
	jnz wrong
	EXIT 0
wrong:
	EXIT 1
