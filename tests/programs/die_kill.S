/* SIGKILL that the program sends to itself in the region. The system call that never returns is not counted.
 *
 * ANSWER
 *   region dying: visits 1, cut 1, instructions 5
 *     3  MOV r32, imm32
 *     1  MOV r32, r32
 *     1  SYSCALL
 *     syscall getpid 1
 *   signal SIGKILL
 */
#include "region.inc"

	.globl _start
_start:
	BEGIN dying
	KERNEL 39
	mov edi, eax
	mov esi, 9
	KERNEL 62
	END dying
	EXIT 0
