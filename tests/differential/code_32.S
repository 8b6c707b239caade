/* Jumps between 64-bit and 32-bit code by far jumps. */
	.globl	_start
_start:
	mov	$0, %ebx
	mov	$20, %r12d
	sub	$16, %rsp
again:
	mov	$2000, %ecx
count:
	dec	%ecx
	jnz	count
	lea	code_32(%rip), %rax
	mov	%eax, (%rsp)
	movl	$0x23, 4(%rsp)
	ljmp	*(%rsp)

	.code32
code_32:
	mov	$10, %ecx
count_32:
	inc	%ebx
	loop	count_32
	ljmp	$0x33, $code_64

	.code64
code_64:
	dec	%r12d
	jnz	again
	mov	$60, %eax
	mov	%ebx, %edi
	and	$0x7f, %edi
	syscall

	.section .note.GNU-stack, "", @progbits
