/* PUSHF and POPF: the program never sees the trap flag in what it pushes, and its own flags survive.
 *
 * ANSWER
 *   region flags: visits 1, instructions 14
 *     4  PUSHFQ
 *     1  PUSHF
 *     2  POPFQ
 *     3  POP r64
 *     1  POP r16
 *     1  PUSH imm32
 *     1  PUSH r64
 *     1  STC
 */
#include "region.inc"

	.globl _start
_start:
	BEGIN flags
	pushfq
	pop rax
	pushfw
	pop bx
	push 0x202
	popfq
	pushfq
	pop rcx
	stc
	pushfq
	popfq
	pushfq
	pop rdx
	push rdx
	END flags
	pop rdx
	mov esi, edx
	and esi, 1
	cmp esi, 1		/* the carry flag went through PUSHF, POPF, PUSHF */
	jne wrong
	or eax, ebx
	or eax, ecx
	or eax, edx
	test eax, TRAP_FLAG
	jnz wrong
	EXIT 0
wrong:
	EXIT 1
