/* MOV SS runs the next instruction without a debug trap in between. That instruction is counted, whatever it is.
 *
 * ANSWER
 *   region shadow: visits 1, instructions 23
 *    10  MOV sreg, r16
 *     2  INC r32
 *     1  PUSHFQ
 *     1  POP r64
 *     2  MOV r32, imm32
 *     2  LEA r64, [rip+d]
 *     1  REP MOVSB m8, m8 iterations 3
 *     1  SYSCALL
 *     1  JMP rel8
 *     1  CALL rel32
 *     1  RET
 *     syscall getpid 1
 */
#include "region.inc"

	.globl _start
_start:
	mov r12d, ss
	BEGIN shadow
	mov ss, r12d
	inc ebx			/* hidden */
	mov ss, r12d
	pushfq			/* hidden, and must not push the trap flag */
	pop r13
	lea rsi, [rip + text]
	lea rdi, [rip + copy]
	mov ss, r12d
	mov ecx, 3		/* hidden */
	mov ss, r12d
	rep movsb		/* hidden */
	mov ss, r12d
	mov ss, r12d
	inc ebx			/* hidden or not, as the processor likes */
	mov ss, r12d
	mov eax, 39		/* hidden */
	mov ss, r12d
	syscall			/* hidden */
	mov ss, r12d
	jmp 1f			/* hidden */
	inc ebx
1:	call function
	mov ss, r12d
	END shadow		/* hidden */
	or r13d, r11d		/* what the hidden SYSCALL left */
	test r13d, TRAP_FLAG
	jnz wrong
	cmp ebx, 2
	jne wrong
	mov eax, [rip + copy]
	cmp eax, [rip + text]
	jne wrong
	EXIT 0
wrong:
	EXIT 1

function:
	ret

	.data
	.balign 4
text:	.byte 1, 2, 3, 0
copy:	.long 0
