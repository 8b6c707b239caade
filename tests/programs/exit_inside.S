/* The program ends inside the region. The visit is cut; exit_group and its number count.
 *
 * ANSWER
 *   region unended: visits 1, cut 1, instructions 4
 *     1  INC r32
 *     2  MOV r32, imm32
 *     1  SYSCALL
 *     syscall exit_group 1
 *   exit 9
 */
#include "region.inc"

	.globl _start
_start:
	BEGIN unended
	inc eax
	EXIT 9
