/* Probe notes written by hand, on code whose address is fixed at link time: 0x401000. Some are right, some malformed.
 * */
#ifdef ALLOCATED
#define NOTE_FLAGS "a"
#else
#define NOTE_FLAGS ""
#endif

	.macro note owner, type, end=99f
	.section .note.stapsdt, NOTE_FLAGS, "note"
	.balign 4
	.4byte 92f-91f, \end-93f, \type
91:	.asciz "\owner"
92:	.balign 4
93:
	.endm

	.macro addresses pc, base=base
	.8byte \pc, \base, 0
	.endm

	.macro done
99:	.balign 4
	.text
	.endm

	.macro probe pc, name, base=base
	note stapsdt, 3
	addresses \pc, \base
	.asciz "itrace", "\name", ""
	done
	.endm

	.section .stapsdt.base, "a"
base:	.byte 0

	.text
	.globl _start, label, main
	.weak weak_label
	.type main, @function
	.type static_function, @function
_start:
	nop	/* 0x401000 */
	nop
label:
	nop	/* 0x401002 */
	nop
main:	/* 0x401004, of 4 bytes */
weak_label:
	xorl %edi, %edi
local_label:
	xorl %edi, %edi
	.size main, . - main
static_function:	/* 0x401008 */
	movl $60, %eax
	syscall
	.size static_function, . - static_function

	probe 0x401000, begin__a
	probe 0x401001, end__a
	probe 0x401002, begin
	probe 0x401003, end
	probe 0x401000, "begin__x__y %s {a|b}"
	/* Linked, as it seems, 0x10000 higher than it is now; and not moved, as it tells no base. */
	probe 0x411002, begin__moved, base+0x10000
	probe 0x401003, end__unbased, 0
	note stapsdt, 3
	addresses 0x401001
	.asciz "itrace", "begin__no arguments"
	done

	/* Of scopes: an end tells no name. */
	note stapsdt, 3
	addresses 0x401000
	.asciz "itrace_scope", "begin__a", ""
	done
	note stapsdt, 3
	addresses 0x401001
	.asciz "itrace_scope", "end", ""
	done

	/* Not markers: no NOP there, not in the code, not in any segment, a second time the same, other names. */
	probe 0x401004, begin__not_a_nop
	probe base, begin__data
	probe -1, begin__nowhere
	probe 0x401000, begin__a
	probe 0x401000, beginner__a
	probe 0x401000, begin_a
	probe 0x401000, start__a
	probe 0x401000, ""

	/* Other owner, type and provider. */
	note stapsdu, 3
	addresses 0x401000
	.asciz "itrace", "begin__owner", ""
	done
	note stapsdt, 2
	addresses 0x401000
	.asciz "itrace", "begin__type", ""
	done
	note stapsdt, 3
	addresses 0x401000
	.asciz "itraced", "begin__provider", ""
	done

	note stapsdt, 3
	addresses 0x401000
	.asciz "itrace_scope2", "begin__provider", ""
	done

	/* A content that ends within the addresses, within the provider and within the name. */
	note stapsdt, 3
	.8byte 0x401000, base
	done
	note stapsdt, 3
	addresses 0x401000
	.ascii "itrac"
	done
	note stapsdt, 3
	addresses 0x401000
	.ascii "itrace"
	done
	note stapsdt, 3
	addresses 0x401000
	.asciz "itrace"
	.ascii "begin__unended"
	done
	/* The longest name that is read, 4096 bytes with "begin__", and one that is too long. */
	note stapsdt, 3
	addresses 0x401000
	.asciz "itrace"
	.ascii "begin__"
	.fill 4089, 1, 'x'
	.byte 0, 0
	done
	note stapsdt, 3
	addresses 0x401000
	.asciz "itrace"
	.ascii "begin__"
	.fill 4090, 1, 'y'
	.byte 0, 0
	done

	/* A content that ends behind the section; no note can follow. */
	note stapsdt, 3, 93f+4096
	addresses 0x401000
	.asciz "itrace", "begin__beyond", ""
	done
