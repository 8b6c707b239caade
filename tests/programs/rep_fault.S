/* REP STOSB faults after 96 of its 100 iterations. First the handler makes the page writable and the rest follows: one
 * execution. Then the handler skips the instruction: its iterations stay counted, and it has no execution.
 *
 * ANSWER
 *   region mended: visits 1, instructions 3
 *     1  LEA r64, [b+d]
 *     1  MOV r32, imm32
 *     1  REP STOSB m8 iterations 100
 *   region skipped: visits 1, instructions 3
 *     1  LEA r64, [b+d]
 *     1  MOV r32, imm32
 *     0  REP STOSB m8 iterations 96
 *     1  INC r32
 */
#include "region.inc"

	.globl _start
_start:
	HANDLE SIGSEGV, mend
	xor edi, edi		/* two pages, the second not accessible */
	mov esi, 8192
	mov edx, 3
	mov r10d, 0x22
	mov r8, -1
	xor r9d, r9d
	KERNEL 9
	mov r12, rax
	xor edx, edx
	call protect_second
	BEGIN mended
	lea rdi, [r12 + 4000]
	mov ecx, 100
	rep stosb
	END mended
	test ecx, ecx
	jnz wrong
	lea rax, [r12 + 4100]
	cmp rdi, rax
	jne wrong

	HANDLE SIGSEGV, skip, SA_SIGINFO
	xor edx, edx
	call protect_second
	xor ebx, ebx
	BEGIN skipped
	lea rdi, [r12 + 4000]
	mov ecx, 100
	rep stosb
	inc ebx
	END skipped
	cmp ecx, 4
	jne wrong
	cmp ebx, 1
	jne wrong
	EXIT 0
wrong:
	EXIT 1

protect_second:
	lea rdi, [r12 + 4096]
	mov esi, 4096
	KERNEL 10
	ret

mend:
	mov edx, 3
	call protect_second
	ret

skip:
	add qword ptr [rdx + UCONTEXT_RIP], 2
	ret
	RESTORE
