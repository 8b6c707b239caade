/* Regions in regions: the outer one includes the inner, whose markers are NOPs to it. Regions may also overlap.
 *
 * outer: inc, nop, dec, nop, inc.  inner: dec.
 * left: inc, nop, dec, dec.  right: dec, dec, nop, inc.
 *
 * ANSWER
 *   region outer: visits 1, markers 1, instructions 5
 *     2  INC r32
 *     2  NOP
 *     1  DEC r32
 *   region inner: visits 1, markers 1, instructions 1
 *     1  DEC r32
 *   region left: visits 1, markers 1, instructions 4
 *     1  INC r32
 *     1  NOP
 *     2  DEC r32
 *   region right: visits 1, markers 1, instructions 4
 *     2  DEC r32
 *     1  NOP
 *     1  INC r32
 *
 * ANSWER --region inner
 *   region inner: visits 1, instructions 1
 *     1  DEC r32
 *   absent outer
 */
#include "region.inc"

	.globl _start
_start:
	BEGIN outer
	inc eax
	BEGIN inner
	dec eax
	END inner
	inc eax
	END outer

	BEGIN left
	inc eax
	BEGIN right
	dec eax
	dec eax
	END left
	inc eax
	END right
	EXIT 0
