/* A timer's signals interrupt a region at any instruction. The region's own count does not depend on them.
 *
 * ANSWER
 *   region timed: visits 1, instructions 10001
 *     1  MOV r32, imm32
 *  5000  DEC r32
 *  5000  JNZ rel8
 */
#include "region.inc"

#define SIGALRM 14

	.globl _start
_start:
	HANDLE SIGALRM, handler
	xor edi, edi		/* setitimer(ITIMER_REAL, every 700 us) */
	lea rsi, [rip + timer]
	xor edx, edx
	KERNEL 38
	BEGIN timed
	mov ecx, 5000
1:	dec ecx
	jnz 1b
	END timed
	EXIT 0

handler:
	ret
	RESTORE

	.section .rodata
	.balign 8
timer:	.quad 0, 700, 0, 700
