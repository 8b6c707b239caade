/* JRCXZ jumps to itself until a child's signal lets the handler set rcx. It runs many times and ends well.
 *
 * ANSWER
 *   region endless: visits 1, instructions >= 3
 */
#include "region.inc"

	.globl _start
_start:
	HANDLE SIGUSR1, handler, SA_SIGINFO
	KERNEL 39
	mov r12d, eax
	KERNEL 57
	test eax, eax
	jz child
	xor ecx, ecx
	BEGIN endless
	nop
1:	jrcxz 1b
	nop
	END endless
	EXIT 0

child:
	lea rdi, [rip + pause]
	xor esi, esi
	KERNEL 35
	mov edi, r12d
	mov esi, SIGUSR1
	KERNEL 62
	EXIT 0

handler:
	mov qword ptr [rdx + UCONTEXT_RCX], 1
	ret
	RESTORE

	.section .rodata
	.balign 8
pause:	.quad 0, 50000000
