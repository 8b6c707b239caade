/* A program with a SIGTRAP handler of its own gets its INT3s, in a region too. The handler runs with SIGTRAP blocked,
 * and stays installed afterwards.
 *
 * ANSWER
 *   region marked: visits 1, instructions 5
 *     3  INC r32
 *     2  INT3
 *   absent int3
 */
#include "region.inc"

	.globl _start
_start:
	HANDLE SIGTRAP, handler
	int3
	BEGIN marked
	inc eax
	int3
	inc eax
	int3
	inc eax
	END marked
	cmp dword ptr [rip + traps], 3
	jne wrong
	EXIT 0
wrong:
	EXIT 1

handler:
	inc dword ptr [rip + traps]
	ret
	RESTORE

	.data
traps:	.long 0
