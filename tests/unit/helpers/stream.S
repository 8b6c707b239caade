/* For test_stream.c, which says what it executes. Data at 0x600000. */
#include "../../programs/region.inc"

#define ARCH_SET_FS 0x1002 /* asm/prctl.h */

	.data /* first, before what HANDLE adds */
data:	.skip 8192
stack_end:
	.skip 64

	.text
	.globl _start
_start:
	mov esp, offset stack_end
	mov edi, ARCH_SET_FS
	mov esi, offset data
	KERNEL 158
	HANDLE SIGUSR1, handler
	KERNEL 39
	mov r12d, eax
	BEGIN stream
	mov ecx, 2
again:
	push rcx
	call callee
	pop rcx
	dec ecx
	jnz again
	mov esi, offset data
	lea rdi, [rsi + 256]
	mov ecx, 5
	rep movsb
	mov eax, fs:[8]
	nop dword ptr [rax]
	mov [esi + ecx * 4 + 16], eax
	push qword ptr [rip + data]
	pop qword ptr [rsp + 8]
	mov edi, r12d
	mov esi, SIGUSR1
	KERNEL 62
	xor edx, edx
	BEGIN inner
	inc ebx
	END inner
	END stream
	EXIT 0

callee:
	mov rdx, [rsp + 8]
	ret

handler:
	mov rdx, [rsp]
	ret
	RESTORE
