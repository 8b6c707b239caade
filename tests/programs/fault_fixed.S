/* A fault whose handler repairs the cause. The instruction is counted once, when it succeeds; the handler is counted
 * separately.
 *
 * ANSWER
 *   region fault: visits 1, instructions 3
 *     1  MOV r32, imm32
 *     1  MOV m32, r32
 *     1  MOV r32, m32
 *   handlers fault: instructions 8
 *     1  MOV r64, r64
 *     4  MOV r32, imm32
 *     2  SYSCALL
 *     1  RET
 *     syscall mprotect 1
 *     syscall rt_sigreturn 1
 */
#include "region.inc"

	.globl _start
_start:
	HANDLE SIGSEGV, handler
	xor edi, edi		/* mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) */
	mov esi, 4096
	xor edx, edx
	mov r10d, 0x22
	mov r8, -1
	xor r9d, r9d
	KERNEL 9
	mov r12, rax
	BEGIN fault
	mov ecx, 7
	mov [r12], ecx
	mov edx, [r12]
	END fault
	cmp edx, 7
	jne wrong
	EXIT 0
wrong:
	EXIT 1

handler:
	mov rdi, r12
	mov esi, 4096
	mov edx, 3
	KERNEL 10
	ret
	RESTORE
