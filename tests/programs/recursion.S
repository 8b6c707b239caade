/* A recursive function: each outermost call is one visit, from its first instruction to its last RET.
 *
 * factorial(5) makes 5 calls of itself in all: mov, cmp, jle; then for 5 to 2: push, dec, call, pop, imul; 5 RETs.
 *
 * ANSWER --function factorial
 *   region factorial: visits 2, instructions 80
 *    10  MOV r32, imm32
 *    10  CMP r32, imm8
 *    10  JLE rel8
 *     8  PUSH r64
 *     8  DEC r32
 *     8  CALL rel32
 *     8  POP r64
 *     8  IMUL r32, r32
 *    10  RET
 *
 * A region that begins again in a deeper frame: one visit, in which its own inner markers are NOPs. From nest(2):
 * [begin] dec, js, call, nop, dec, js, call, nop, dec, js, nop, ret, nop, ret [end].
 * ANSWER
 *   region nest: visits 1, instructions 14
 *     3  DEC r32
 *     3  JS rel8
 *     2  CALL rel32
 *     4  NOP
 *     2  RET
 */
#include "region.inc"

	.globl _start
_start:
	mov edi, 5
	call factorial
	cmp eax, 120
	jne wrong
	mov edi, 5
	call factorial
	mov edi, 2
	call nest
	EXIT 0
wrong:
	EXIT 1

	.type factorial, @function
factorial:
	mov eax, 1
	cmp edi, 1
	jle 1f
	push rdi
	dec edi
	call factorial
	pop rdi
	imul eax, edi
1:	ret
	.size factorial, . - factorial

nest:
	BEGIN nest
	dec edi
	js 1f
	call nest
1:	END nest
	ret
