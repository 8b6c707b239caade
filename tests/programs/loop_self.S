/* Instructions that jump to themselves: the address does not tell whether they ran.
 *
 * ANSWER
 *   region loop: visits 1, instructions 20
 *     4  MOV r32, imm32
 *     6  LOOP rel8
 *     1  TEST r32, r32
 *     3  LOOPNE rel8
 *     1  JRCXZ rel8
 *     1  JECXZ rel8
 *     1  DEC r32
 *     1  JMP rel8
 *     1  CALL rel32
 *     1  POP r64
 */
#include "region.inc"

	.globl _start
_start:
	BEGIN loop
	mov ecx, 5
1:	loop 1b			/* 5 */
	mov ecx, 1
1:	loop 1b			/* 1 */
	mov ecx, 3
	test ecx, ecx		/* ZF clear */
1:	loopne 1b		/* 3 */
	mov ecx, 1
	jrcxz 1f		/* not taken */
	dec ecx
1:	jecxz 1f		/* taken */
	inc ecx
1:	jmp 1f
1:	call 1f
1:	pop rax
	END loop
	EXIT 0
