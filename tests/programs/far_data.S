/* Code whose data is almost 2 GB away from it, so that a copy of the code elsewhere may be too far away: every kind of
 * encoding of a
 * RIP-relative operand, an indirect call and jump, and an instruction that overwrites R11. A round is 27 instructions,
 * 6 in `seven`,
 * and 2; there are 100, and 8 instructions around them.
 *
 * ANSWER --function work
 *   region work: visits 1, cut 0, instructions 3508
 *   ...
 *   exit 0
 */
#include <asm/mman.h>
#include <asm/unistd.h>

#define CODE_VA 0x100000000000
#define FAR 0x7e000000
#define AT(offset) blob + FAR + offset(%rip) /* wherever the code is moved to */

	.text
	.globl _start
_start:
	mov	$CODE_VA, %r12
	mov	%r12, %rdi
	mov	$PROT_READ | PROT_WRITE | PROT_EXEC, %edx
	call	map
	lea	blob(%rip), %rsi
	mov	%r12, %rdi
	mov	$blob_end - blob, %ecx
	rep movsb
	mov	%r12, %rdi
	mov	$__NR_mprotect, %eax
	mov	$4096, %esi
	mov	$PROT_READ | PROT_EXEC, %edx
	syscall
	lea	FAR(%r12), %rdi
	mov	$PROT_READ | PROT_WRITE, %edx
	call	map
	lea	FAR(%r12), %rbx
	lea	seven - blob(%r12), %rax
	mov	%rax, 64(%rbx)
	lea	done - blob(%r12), %rax
	mov	%rax, 72(%rbx)
	movl	$3, (%rbx)
	call	work
	/* 100 rounds, each of which adds 3 + 3, 7 and 1 */
	xor	%edi, %edi
	cmp	$1400, %eax
	setne	%dil
	cmpb	$100, 16(%rbx)
	setne	%al
	or	%al, %dil
	mov	$__NR_exit_group, %eax
	syscall

map:
	mov	$__NR_mmap, %eax
	mov	$4096, %esi
	mov	$0x32, %r10d /* MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED */
	mov	$-1, %r8
	xor	%r9d, %r9d
	syscall
	ret

	.globl work
	.type work, @function
work:
	mov	%r12, %rax
	mov	$100, %r13d
	xor	%ebp, %ebp
	call	*%rax
	mov	%ebp, %eax
	ret
	.size work, . - work

blob:
	add	AT(0), %ebp
	mov	AT(0), %r8d
	add	%r8d, %ebp
	incb	AT(16)
	movzbl	AT(16), %ecx
	addl	$0x1000000, AT(20)
	movdqa	AT(0), %xmm1
	movdqa	AT(0), %xmm9
	paddd	AT(0), %xmm1
	movd	%xmm1, %edx
	cmp	$6, %edx
	jne	wrong
	mov	$77, %r11
	lea	AT(64), %rdx
	push	AT(64)
	pop	%rsi
	cmp	(%rdx), %rsi
	jne	wrong
	cmp	$77, %r11
	jne	wrong
	mov	AT(0), %r11d
	cmp	$3, %r11d
	jne	wrong
	mov	AT(16), %ah
	cmp	%cl, %ah
	jne	wrong
	call	*AT(64)
	dec	%r13d
	jnz	blob
	jmp	*AT(72)
seven:
	add	$7, %ebp
	cmpl	$3, AT(0)
	sete	%cl
	movzx	%cl, %ecx
	add	%ecx, %ebp
	ret
wrong:
	xor	%ebp, %ebp
done:
	ret
blob_end:

	.section .note.GNU-stack, "", @progbits
