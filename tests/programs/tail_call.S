/* A function that ends in a jump to another function has returned when that one returns.
 *
 * ANSWER --function first
 *   region first: visits 2, instructions 8
 *     2  INC r32
 *     2  JMP rel8
 *     2  DEC r32
 *     2  RET
 *
 * The function jumped to is a call as well: it begins at its first instruction, however that is reached.
 * ANSWER --function second
 *   region second: visits 3, instructions 6
 *     3  DEC r32
 *     3  RET
 *
 * ANSWER --function first --function second
 *   region first: visits 2, instructions 8
 *   region second: visits 3, instructions 6
 */
#include "region.inc"

	.globl _start
_start:
	call first
	call first
	call second
	EXIT 0

	.type first, @function
first:
	inc eax
	jmp second
	.size first, . - first

	.type second, @function
second:
	dec eax
	ret
	.size second, . - second
