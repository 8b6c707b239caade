/* One marker pair inlined at 100 places.
 *
 * ANSWER
 *   region inlined: visits 100, markers 100, instructions 200
 *   100  INC r32
 *   100  DEC r32
 */
#include "region.inc"

	.globl _start
_start:
	.rept 100
	BEGIN inlined
	inc eax
	dec eax
	END inlined
	.endr
	EXIT 0
