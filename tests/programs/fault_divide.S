/* SIGFPE and SIGILL. A division that the handler repairs is counted; instructions that it skips are not.
 *
 * ANSWER
 *   region mended: visits 1, instructions 4
 *     2  XOR r32, r32 (same)
 *     1  MOV r32, imm32
 *     1  DIV r32
 *   handlers mended: instructions 6
 *     1  MOV r64, m64
 *     1  ADD r64, r64
 *     1  MOV m64, r64
 *     1  RET
 *     1  MOV r32, imm32
 *     1  SYSCALL
 *     syscall rt_sigreturn 1
 *   region skipped: visits 1, instructions 3
 *     2  XOR r32, r32 (same)
 *     1  INC r32
 *   handlers skipped: instructions 12
 *     2  MOV r64, m64
 *     2  ADD r64, r64
 *     2  MOV m64, r64
 *     2  RET
 *     2  MOV r32, imm32
 *     2  SYSCALL
 *     syscall rt_sigreturn 2
 */
#include "region.inc"

	.globl _start
_start:
	HANDLE SIGFPE, handler, SA_SIGINFO
	HANDLE SIGILL, handler, SA_SIGINFO
	mov r12, UCONTEXT_RCX	/* the handler adds r13 to this register: first 1 to the divisor ... */
	mov r13, 5
	xor ebx, ebx
	BEGIN mended
	mov eax, 35
	xor edx, edx
	xor ecx, ecx
	div ecx
	END mended
	cmp eax, 7
	jne wrong
	mov r12, UCONTEXT_RIP	/* ... then 2 to the address */
	mov r13, 2
	BEGIN skipped
	xor edx, edx
	xor ecx, ecx
	div ecx
	ud2
	inc ebx
	END skipped
	cmp ebx, 1
	jne wrong
	EXIT 0
wrong:
	EXIT 1

handler:
	mov rax, [rdx + r12]
	add rax, r13
	mov [rdx + r12], rax
	ret
	RESTORE
