/* counted(n): n >= 1; a region of 3 n instructions; returns n + (n - 1) + ... + 1. Fit for any program or library. */
#include "region.inc"

	.globl counted
	.type counted, @function
counted:
	xor eax, eax
	BEGIN counted
1:	add eax, edi
	dec edi
	jnz 1b
	END counted
	ret
	.size counted, . - counted
