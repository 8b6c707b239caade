/* A bare INT3 begins a region, the next one ends it. Neither is counted.
 *
 * ANSWER
 *   region int3: visits 2, instructions 3
 *     2  INC r32
 *     1  DEC r32
 *   native SIGTRAP
 */
#include "region.inc"

	.globl _start
_start:
	int3
	inc eax
	inc eax
	int3
	mov eax, 5
	int3
	dec eax
	int3
	EXIT 0
