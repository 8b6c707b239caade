/* REP string instructions: one execution whatever the count, the iterations beside it.
 *
 * ANSWER
 *   region rep: visits 1, instructions 33
 *     3  REP MOVSB m8, m8 iterations 1001
 *     1  REP STOSQ m64 iterations 1000
 *     2  REPE CMPSB m8, m8 iterations 7
 *     1  REPNE SCASB m8 iterations 5
 *     2  REP STOSB m8 iterations 2
 *    11  LEA r64, [rip+d]
 *     6  MOV r32, imm32
 *     2  MOV r64, imm64
 *     1  MOV r8, imm8
 *     3  MOV r64, r64
 *     1  XOR r32, r32 (same)
 */
#include "region.inc"

	.globl _start
_start:
	BEGIN rep
	xor ecx, ecx
	rep movsb		/* 0 */
	lea rsi, [rip + text]
	lea rdi, [rip + room]
	mov ecx, 1
	rep movsb		/* 1 */
	lea rsi, [rip + text]
	lea rdi, [rip + room]
	mov ecx, 1000
	rep movsb		/* 1000 */
	lea rdi, [rip + room]
	mov ecx, 1000
	rep stosq		/* 1000 */
	lea rsi, [rip + text]
	lea rdi, [rip + other]
	mov ecx, 100
	repe cmpsb		/* 3: the third byte differs */
	mov r8, rcx
	lea rsi, [rip + text]
	lea rdi, [rip + text]
	mov ecx, 4
	repe cmpsb		/* 4: to the end */
	mov r9, rcx
	lea rdi, [rip + text]
	mov ecx, 100
	mov al, 'e'
	repne scasb		/* 5: the fifth byte is it */
	mov r10, rcx
	lea rdi, [rip + room]
	mov rcx, 0x100000002
	addr32 rep stosb	/* 2: ECX counts */
	mov rcx, 0x100000000
	addr32 rep stosb	/* 0 */
	END rep
	cmp r8, 97
	jne wrong
	cmp r9, 0
	jne wrong
	cmp r10, 95
	jne wrong
	EXIT 0
wrong:
	EXIT 1

	.data
text:	.ascii "abcde"
	.skip 1000
other:	.ascii "abX"
	.skip 1000
	.bss
	.balign 8
room:	.skip 8000
