/* A call into the vsyscall page, which the kernel emulates: one instruction without bytes, including its return. The
 * kernel sets no trap after it, so the test is that the next instruction counts.
 *
 * ANSWER
 *   needs [vsyscall]
 *   region vsyscall: visits 1, instructions 9
 *     2  XOR r32, r32 (same)
 *     2  MOV r64, imm32
 *     2  CALL r64
 *     2  (vsyscall)
 *     1  INC r32
 */
#include "region.inc"

	.globl _start
_start:
	xor ebx, ebx
	BEGIN vsyscall
	xor edi, edi
	mov rax, 0xffffffffff600400	/* time */
	call rax
	inc ebx
	xor edi, edi
	mov rax, 0xffffffffff600400
	call rax
	END vsyscall
	cmp ebx, 1
	jne wrong
	cmp rax, 1000000000
	jb wrong
	EXIT 0
wrong:
	EXIT 1
