/* INT 0x80: a 32-bit system call from 64-bit code, numbered by the 32-bit table.
 *
 * ANSWER
 *   region int80: visits 1, instructions 3
 *     1  MOV r32, imm32
 *     1  INT imm8
 *     1  MOV r32, r32
 *     syscall getpid 1
 */
#include "region.inc"

	.globl _start
_start:
	HANDLE SIGSEGV, unsupported
	BEGIN int80
	mov eax, 20
	int 0x80
	mov ebx, eax
	END int80
	KERNEL 39
	cmp eax, ebx
	jne wrong
	EXIT 0
wrong:
	EXIT 1

unsupported:
	EXIT 77			/* a kernel without CONFIG_IA32_EMULATION */
	RESTORE
