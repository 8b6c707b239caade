/* SYSCALL: r11 gets the flags without the trap flag, rcx the next address; the system call itself is counted.
 *
 * ANSWER
 *   region syscall: visits 1, instructions 4
 *     2  MOV r32, imm32
 *     2  SYSCALL
 *     syscall getpid 1
 *     syscall getppid 1
 */
#include "region.inc"

	.globl _start
_start:
	BEGIN syscall
	mov eax, 39
	syscall
after:	mov eax, 110
	syscall
	END syscall
	lea rdx, [rip + after + 7]
	cmp rcx, rdx
	jne wrong
	test r11d, TRAP_FLAG
	jnz wrong
	EXIT 0
wrong:
	EXIT 1
