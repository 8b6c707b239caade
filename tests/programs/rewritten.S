/* Code that changes, with one instruction that every engine steps: a REP instruction that counts in ECX. The page is
 * writable, except while translated code has other instructions of it.
 *
 * Three rounds of: a call of "xor ecx, ecx; rep movsb or stosb; ret", a system call after which all mappings are looked
 * at anew, the same call, the other
 * instruction written, and the call again. So it is MOVSB, MOVSB, STOSB; STOSB, STOSB, MOVSB; MOVSB, MOVSB, STOSB.
 *
 * ANSWER
 *   region rewritten: visits 1, instructions 58
 *     4  MOV r32, imm32
 *     3  SYSCALL
 *     9  CALL r64
 *     15  XOR r32, r32 (same)
 *     5  REP MOVSB m8, m8
 *     4  REP STOSB m8
 *     9  RET
 *     3  XOR m8, imm8
 *     3  DEC r32
 *     3  JNZ rel8
 *     syscall munmap 3
 */
#include "region.inc"

#define MOVSB 0xa4
#define STOSB 0xaa
#define CODE_BYTES 6 /* of "code" */
#define OPCODE_AT 4

	.globl _start
_start:
	xor edi, edi
	mov esi, 4096
	mov edx, 7
	mov r10d, 0x22
	mov r8, -1
	xor r9d, r9d
	KERNEL 9
	mov r12, rax
	lea rsi, [rip + code]
	mov rdi, r12
	mov ecx, CODE_BYTES
	rep movsb
	BEGIN rewritten
	mov ebx, 3
round:	call r12
	xor edi, edi
	xor esi, esi
	KERNEL 11		/* munmap, of nothing */
	call r12
	xor byte ptr [r12 + OPCODE_AT], MOVSB ^ STOSB
	call r12
	dec ebx
	jnz round
	END rewritten
	EXIT 0

	.section .rodata
code:
	xor ecx, ecx
	.byte 0x67, 0xf3, MOVSB
	ret
