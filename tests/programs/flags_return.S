/* Flags that are looked at where a return, or an indirect call, leads. Each such place has the same 16 low bits of
 * address as another one
 * that overwrites flags and was come to before: they are not to be lost in telling the two apart. It ends with the
 * number of the case in
 * which they are.
 *
 * 1 a comparison and a return to where no call is, 2 a comparison and an indirect call, 3 what a subtraction leaves is
 * returned, behind so
 * many blocks that the call stands last among those that are translated together, 4 it is returned to a marker, 5 to
 * where the visit of
 * a function ends.
 *
 * All of that three times. "outer" executes two calls, "nothing" (2), XOR, RET, a jump, a call, "inner" (2),
 * JNE and RET.
 *
 * ANSWER --all
 *   region all: visits 1
 *     ...
 * ANSWER --function outer --function inner
 *   region outer: visits 3, instructions 36
 *     3  JMP rel32
 *     9  CALL rel32
 *     12  RET
 *     6  XOR r32, r32 (same)
 *     3  SUB r32, r32 (same)
 *     3  JNZ rel32
 *   region inner: visits 3, instructions 6
 *     3  SUB r32, r32 (same)
 *     3  RET
 */
#include "region.inc"

	.set WINDOW, 65536

	.globl _start
_start:
	mov ebx, 3
round:
	mov r12d, 1
	push offset plain1
	ret
back1:
	push offset looks1
	cmp ebx, ebx
	ret
back2:
	mov r12d, 2
	call [rip + to_plain2]
	cmp ebx, ebx
	call [rip + to_looks2]

	mov r12d, 3
	.irp n, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65
	call call_plain3_\n
	call [rip + to_call3_\n]
	.endr

	mov r12d, 4
	call call_plain4
	call call_marked4

	mov r12d, 5
	call outer
	dec ebx
	jnz round
	EXIT 0

wrong:
	mov edi, r12d
	mov eax, 231
	syscall

nothing:
	xor eax, eax
	ret

	/* They differ in nothing: not equal is wrong. */
difference:
	sub eax, eax
	ret

	.globl inner
	.type inner, @function
inner:
	sub eax, eax
	ret
	.size inner, . - inner

	.globl outer
	.type outer, @function
outer:
	call call_plain5
	jmp call_inner5
	.size outer, . - outer

	/* Instructions that overwrite flags. */
	.balign WINDOW
plain1:
	xor eax, eax
	jmp back1
	.balign 64
plain2:
	xor eax, eax
	ret
	.balign 64
call_plain4:
	call nothing
	xor eax, eax
	ret
	.balign 64
call_plain5:
	call nothing
	xor eax, eax
	ret
	.irp n, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65
	.balign 1024
	.skip 512
call_plain3_\n:
	call nothing
	xor eax, eax
	ret
	.endr

	/* Instructions that read the flags, a window further on. */
	.balign WINDOW
looks1:
	jne wrong
	jmp back2
	.balign 64
looks2:
	jne wrong
	ret
	.balign 64
call_marked4:
	call difference
	END case4
	jne wrong
	ret
	.balign 64
call_inner5:
	call inner
	jne wrong
	ret
	.irp n, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65
	.balign 1024
	.skip 512
call_last3_\n:
	call difference
	jne wrong
	ret
	.endr

	.balign WINDOW
	.irp n, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65
	.balign 1024
call3_\n:
	xor eax, eax
	.rept \n
	jnz wrong
	.endr
	jmp call_last3_\n
	.endr

	.section .rodata
	.balign 8
to_plain2:
	.8byte plain2
to_looks2:
	.8byte looks2
	.irp n, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65
to_call3_\n:
	.8byte call3_\n
	.endr
