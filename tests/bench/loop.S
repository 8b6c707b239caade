/* 60,000 instructions of a loop, in region "loop". */
#include "../programs/region.inc"

	.globl _start
_start:
	mov ecx, 20000
	BEGIN loop
1:	add [rip + sum], rcx
	dec ecx
	jnz 1b
	END loop
	EXIT 0

	.bss
	.balign 8
sum:	.quad 0
