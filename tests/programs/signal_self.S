/* Signals that the program sends to itself: the handler runs after the system call that sent it, sees no trap flag in
 * the interrupted flags, and is counted apart; a handler inside a handler counts with the outer one.
 *
 * ANSWER
 *   region signals: visits 1, instructions 9
 *     2  MOV r32, r32
 *     4  MOV r32, imm32
 *     2  SYSCALL
 *     1  INC r32
 *     syscall kill 2
 *   handlers signals: instructions 25
 *     5  MOV r32, imm32
 *     1  MOV r32, r32
 *     4  SYSCALL
 *     3  MOV r32, m32
 *     3  AND r32, imm32
 *     3  OR m32, r32
 *     3  INC m32
 *     3  RET
 *     syscall kill 1
 *     syscall rt_sigreturn 3
 */
#include "region.inc"

	.globl _start
_start:
	HANDLE SIGUSR1, simple, SA_SIGINFO
	HANDLE SIGUSR2, raising, SA_SIGINFO
	KERNEL 39
	mov r12d, eax
	xor ebx, ebx
	BEGIN signals
	mov edi, r12d
	mov esi, SIGUSR1
	KERNEL 62
	mov edi, r12d
	mov esi, SIGUSR2
	KERNEL 62
	inc ebx
	END signals
	cmp ebx, 1
	jne wrong
	mov eax, [rip + seen_flags]
	test eax, eax
	jnz wrong
	cmp dword ptr [rip + handled], 3
	jne wrong
	EXIT 0
wrong:
	EXIT 1

raising:			/* SIGUSR1 arrives within it */
	mov eax, [rdx + UCONTEXT_FLAGS]
	and eax, TRAP_FLAG
	or [rip + seen_flags], eax
	inc dword ptr [rip + handled]
	mov edi, r12d
	mov esi, SIGUSR1
	KERNEL 62
	ret

simple:
	mov eax, [rdx + UCONTEXT_FLAGS]
	and eax, TRAP_FLAG
	or [rip + seen_flags], eax
	inc dword ptr [rip + handled]
	ret
	RESTORE

	.data
seen_flags: .long 0
handled: .long 0
