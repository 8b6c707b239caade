/* A whole program, from its entry point.
 *
 * ANSWER --all
 *   region all: visits 1, instructions 8
 *     5  MOV r32, imm32
 *     1  LEA r64, [rip+d]
 *     2  SYSCALL
 *     syscall write 1
 *     syscall exit_group 1
 *   stdout hello
 */
#include "region.inc"

	.globl _start
_start:
	mov edi, 1
	lea rsi, [rip + text]
	mov edx, 6
	KERNEL 1
	EXIT 0

	.section .rodata
text:	.ascii "hello\n"
