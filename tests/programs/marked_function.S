/* A function that begins with a marker and ends with one. Its region and --function both count it. In the function the
 * markers are NOPs.
 *
 * ANSWER --function marked
 *   region marked: visits 2, instructions 8
 *     4  NOP
 *     2  INC r32
 *     2  RET
 *   region inside: visits 2, instructions 2
 *     2  INC r32
 */
#include "region.inc"

	.globl _start
_start:
	call marked
	call marked
	EXIT 0

	.type marked, @function
marked:
	BEGIN inside
	inc eax
	END inside
	ret
	.size marked, . - marked
