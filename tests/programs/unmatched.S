/* Returns without a call and calls without a return.
 *
 * ANSWER
 *   region unmatched: visits 1, instructions 9
 *     1  LEA r64, [rip+d]
 *     1  PUSH r64
 *     1  RET
 *     2  CALL rel32
 *     2  POP r64
 *     1  JMP r64
 *     1  INC r32
 *
 * A function that leaves by popping its return address and jumping there has returned.
 * ANSWER --function odd
 *   region odd: visits 1, instructions 2
 *     1  POP r64
 *     1  JMP r64
 */
#include "region.inc"

	.globl _start
_start:
	mov rbp, rsp
	BEGIN unmatched
	lea rax, [rip + 1f]
	push rax
	ret
1:	call 2f
2:	pop rax
	call odd
	inc ebx
	END unmatched
	cmp rsp, rbp
	jne wrong
	EXIT 0
wrong:
	EXIT 1

	.type odd, @function
odd:
	pop rcx
	jmp rcx
	.size odd, . - odd
