/* siglongjmp out of a handler: it unblocks the signal, takes back the old stack pointer and jumps; the handler never
 * returns. From the instruction after the stack switch on, instructions belong to the region again. The second time the
 * handler runs on a stack of its own, below the program's; the third time on one above it.
 *
 * ANSWER
 *   region jump: visits 3, instructions 24
 *     6  MOV r32, imm32
 *     6  MOV r32, r32
 *     3  SYSCALL
 *     3  JMP rel8
 *     3  INC r32
 *     3  ADD r32, imm8
 *     syscall kill 3
 *   handlers jump: instructions 21
 *     9  MOV r32, imm32
 *     3  LEA r64, [rip+d]
 *     3  XOR r32, r32 (same)
 *     3  SYSCALL
 *     3  MOV r64, r64
 *     syscall rt_sigprocmask 3
 */
#include "region.inc"

	.globl _start
_start:
	HANDLE SIGUSR1, handler, SA_ONSTACK
	KERNEL 39
	mov r12d, eax
	xor ebx, ebx
again:
	mov rbp, rsp
	BEGIN jump
	mov edi, r12d
	mov esi, SIGUSR1
	KERNEL 62
	ud2
landed:
	inc ebx
	mov ecx, ebx
	add ecx, 1
	END jump
	cmp ebx, 3
	je done
	lea rdi, [rip + stack]
	xor esi, esi
	KERNEL 131		/* sigaltstack */
	cmp ebx, 2
	jne again
	lea rsp, [rip + room]	/* the signal stack begins here: one below it */
	jmp again
done:
	EXIT 0

handler:
	mov edi, 1		/* rt_sigprocmask(SIG_UNBLOCK, ...) */
	lea rsi, [rip + mask]
	xor edx, edx
	mov r10d, 8
	KERNEL 14
	mov rsp, rbp
	jmp landed
	RESTORE

	.data
	.balign 8
mask:	.quad 1 << (SIGUSR1 - 1)
stack:	.quad room, 0, 65536
	.bss
	.balign 16
	.skip 65536
room:	.skip 65536
