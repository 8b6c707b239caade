/* A region that is left without its end marker, as by longjmp, and begun again. The visit continues until the next
 * begin, which starts a new one. The program's end cuts the last visit.
 *
 * Visits 1 and 2: inc, call, inc, mov, jmp, dec, jnz, call, and the NOP of the next begin, which is met within them.
 * The third visit ends with dec, jnz, mov, mov, syscall instead.
 *
 * ANSWER
 *   region work: visits 3, left 2, cut 1, instructions 28
 *     2  NOP
 *     6  INC r32
 *     5  CALL rel32
 *     3  MOV r64, r64
 *     3  JMP rel8
 *     3  DEC r32
 *     3  JNZ rel8
 *     2  MOV r32, imm32
 *     1  SYSCALL
 *     syscall exit_group 1
 *
 * Each call of deeper ends with the jump out of its frame.
 * ANSWER --function deeper
 *   region deeper: visits 3, instructions 9
 *     3  INC r32
 *     3  MOV r64, r64
 *     3  JMP rel8
 */
#include "region.inc"

	.globl _start
_start:
	mov r12d, 3
	mov rbp, rsp
again:
	call work
landed:
	dec r12d
	jnz again
	EXIT 0

work:
	BEGIN work
	inc ebx
	call deeper
	END work
	ret

	.type deeper, @function
deeper:
	inc ebx
	mov rsp, rbp
	jmp landed
	.size deeper, . - deeper
