/* Code that changes itself in ways that a decoder cache may miss: by writing to the next instructions, by mprotect,
 * through another mapping of the same memory, and through /proc/self/mem. The old and the new instruction at one
 * address both count.
 *
 * ANSWER
 *   region writable: visits 1, instructions 9
 *     1  MOV r32, imm32
 *     1  INC r32
 *     3  DEC r32
 *     2  MOV m8, imm8
 *     2  JNZ rel8
 *   region mprotect: visits 2, instructions 6
 *     2  CALL r64
 *     2  RET
 *     1  INC r32
 *     1  DEC r32
 *   region alias: visits 1, instructions 7
 *     2  CALL r64
 *     2  RET
 *     1  INC r32
 *     1  DEC r32
 *     1  MOV m8, imm8
 *   region proc_mem: visits 1, instructions 13
 *     2  CALL rel32
 *     2  RET
 *     1  INC r32
 *     1  DEC r32
 *     1  MOV r32, r32
 *     2  LEA r64, [rip+d]
 *     2  MOV r32, imm32
 *     1  MOV r64, r64
 *     1  SYSCALL
 *     syscall pwrite64 1
 */
#include "region.inc"

#define MODRM_DEC 0xc8		/* INC EAX is ff c0, DEC EAX is ff c8 */

	.globl _start
_start:
	call change_itself	/* 1 */

	/* 2: a page that is never writable and executable at once. */
	xor edi, edi
	mov esi, 4096
	mov edx, 3
	mov r10d, 0x22
	mov r8, -1
	xor r9d, r9d
	KERNEL 9
	mov r12, rax
	mov dword ptr [r12], 0x00c3c0ff		/* inc eax; ret */
	mov edx, 5
	call protect
	BEGIN mprotect
	call r12
	END mprotect
	mov edx, 3
	call protect
	mov byte ptr [r12 + 1], MODRM_DEC
	mov edx, 5
	call protect
	BEGIN mprotect
	call r12
	END mprotect

	/* 3: memfd mapped at r12 to run and at r13 to write. */
	lea rdi, [rip + name]
	xor esi, esi
	KERNEL 319		/* memfd_create */
	mov r14d, eax
	mov edi, eax
	mov esi, 4096
	KERNEL 77		/* ftruncate */
	mov edx, 5
	call map_shared
	mov r12, rax
	mov edx, 3
	call map_shared
	mov r13, rax
	mov dword ptr [r13], 0x00c3c0ff
	BEGIN alias
	call r12
	mov byte ptr [r13 + 1], MODRM_DEC
	call r12
	END alias

	/* 4: the kernel writes to read-only code for us. */
	lea rdi, [rip + self_mem]
	mov esi, 2
	KERNEL 2
	mov r14d, eax
	BEGIN proc_mem
	call function
	mov edi, r14d
	lea rsi, [rip + decrement]
	mov edx, 1
	lea r10, [rip + function + 1]
	KERNEL 18		/* pwrite64 */
	mov r15, rax
	call function
	END proc_mem
	cmp r15, 1
	jne wrong
	EXIT 0
wrong:
	EXIT 1

protect:
	mov rdi, r12
	mov esi, 4096
	KERNEL 10
	ret

map_shared:
	xor edi, edi
	mov esi, 4096
	mov r10d, 1
	mov r8d, r14d
	xor r9d, r9d
	KERNEL 9
	ret

function:
	inc eax
	ret

	.section .writable_text, "awx"
change_itself:
	BEGIN writable
	mov ecx, 2
again:	inc eax
	mov byte ptr [rip + again + 1], MODRM_DEC
	dec ecx
	jnz again
	END writable
	ret

	.section .rodata
name:
self_mem: .asciz "/proc/self/mem"
decrement: .byte MODRM_DEC
