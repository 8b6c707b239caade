/* A call to an address where nothing is mapped. The call retires, the fetch faults, and the handler returns to the
 * caller.
 *
 * ANSWER
 *   region fetch: visits 1, instructions 3
 *     1  XOR r32, r32 (same)
 *     1  CALL r64
 *     1  INC r32
 *   handlers fetch: instructions 8
 *     2  MOV r64, m64
 *     2  MOV m64, r64
 *     1  ADD r64, imm8
 *     1  RET
 *     1  MOV r32, imm32
 *     1  SYSCALL
 *     syscall rt_sigreturn 1
 */
#include "region.inc"

	.globl _start
_start:
	HANDLE SIGSEGV, handler, SA_SIGINFO
	xor ebx, ebx
	BEGIN fetch
	xor eax, eax
	call rax
	inc ebx
	END fetch
	cmp ebx, 1
	jne wrong
	EXIT 0
wrong:
	EXIT 1

handler:			/* does the RET that the callee cannot do */
	mov rcx, [rdx + UCONTEXT_RSP]
	mov rax, [rcx]
	mov [rdx + UCONTEXT_RIP], rax
	add rcx, 8
	mov [rdx + UCONTEXT_RSP], rcx
	ret
	RESTORE
