/* Signals from another process interrupt a REP STOSB at any iteration. It has one execution and all its iterations.
 *
 * ANSWER
 *   region rep: visits 1, instructions 3
 *     1  LEA r64, [rip+d]
 *     1  MOV r32, imm32
 *     1  REP STOSB m8 iterations 20000
 */
#include "region.inc"

	.globl _start
_start:
	HANDLE SIGUSR1, handler
	KERNEL 39
	mov r12d, eax
	KERNEL 57		/* fork */
	test eax, eax
	jz child
	mov r13d, eax
	BEGIN rep
	lea rdi, [rip + room]
	mov ecx, 20000
	rep stosb
	END rep
	test ecx, ecx
	jnz wrong
	mov edi, r13d		/* wait4, again when a signal interrupts it */
1:	mov edi, r13d
	xor esi, esi
	xor edx, edx
	xor r10d, r10d
	KERNEL 61
	cmp eax, -4
	je 1b
	EXIT 0
wrong:
	EXIT 1

child:				/* a signal every 10 ms, 12 times */
	mov ebx, 12
1:	lea rdi, [rip + pause]
	xor esi, esi
	KERNEL 35
	mov edi, r12d
	mov esi, SIGUSR1
	KERNEL 62
	dec ebx
	jnz 1b
	EXIT 0

handler:
	ret
	RESTORE

	.section .rodata
	.balign 8
pause:	.quad 0, 10000000
	.bss
room:	.skip 20000
