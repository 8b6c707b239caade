/* --start and --stop: from the instruction at one address, included, to the one at another, excluded. {NAME} stands for
 * the address of a symbol.
 *
 * ANSWER --start {first} --stop {last}
 *   region {first}..{last}: visits 3, instructions 6
 *     3  INC r32
 *     3  DEC r32
 *
 * By their distance from the beginning of the file's lowest segment.
 * ANSWER --start addresses+{+first} --stop addresses+{+last}
 *   region addresses+{+first}..addresses+{+last}: visits 3, instructions 6
 */
#include "region.inc"

	.globl _start
_start:
	mov ecx, 3
again:
first:	inc eax
	dec eax
last:	add eax, eax
	dec ecx
	jnz again
	EXIT 0
