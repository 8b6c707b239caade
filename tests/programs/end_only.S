/* An end marker is reached while its region is not active. The report says so, and counts the region when it begins.
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
