/* Five visits to one region; another that is empty; one without a name; one that is never reached.
 *
 * ANSWER
 *   region visits: visits 5, markers 1, instructions 10
 *     5  INC r32
 *     5  ADD r32, r32
 *   region empty: visits 5, markers 1, instructions 0
 *   region unnamed: visits 1, markers 1, instructions 1
 *     1  INC r32
 *   absent unreached
 */
#include "region.inc"

	.globl _start
_start:
	mov ecx, 5
again:
	BEGIN visits
	inc eax
	add eax, eax
	END visits
	BEGIN empty
	END empty
	dec ecx
	jnz again
	BEGIN
	inc eax
	END
	EXIT 0
	BEGIN unreached
	inc eax
	END unreached
