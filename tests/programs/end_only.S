/* An end marker met while its region is not active: said, and the region is counted when it comes.
 *
 * ANSWER
 *   region ends: visits 1, unmatched 3, instructions 1
 *     1  INC r32
 */
#include "region.inc"

	.globl _start
_start:
	END ends
	BEGIN ends
	inc eax
	END ends
	END ends
	END ends
	EXIT 0
