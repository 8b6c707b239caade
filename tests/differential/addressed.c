/* Computes addresses in ways that compilers rarely choose: from the registers that translated code borrows, with an
 * FS base, or both; PUSH and POP of the memory below RSP; REP string instructions, also backwards and with no
 * iteration. */
#include <stdint.h>
#include <stdio.h>

static __thread uint64_t own[64];

#define ACCESS(base, index)                                                                                         \
	__asm__ volatile("mov %0, %%" base "; xor %%" index ", %%" index "; mov $2, %%" index "; mov %%fs:(%%" base \
			 ", %%" index ", 8), %%rdx; mov %%fs:8(%%" base "), %%rdx"                                  \
			 "; mov %%fs:0x28, %%rdx; lea -256(%%rsp), %%rsp; push %%" base                             \
			 "; push (%%rsp); pop 8(%%rsp); pop %%" base "; mov %%rsp, %%" base "; mov $1, %%" index    \
			 "; mov (%%" base ", %%" index ", 4), %%rdx; mov 300(, %%" base ", 1), %%rdx"               \
			 "; lea 256(%%rsp), %%rsp"                                                                  \
			 :                                                                                          \
			 : "a"(offset)                                                                              \
			 : base, index, "rdx", "memory", "cc")

static void repeat(void)
{
	static uint16_t from[32], to[32];
	uint16_t *end = to + 31;
	const uint16_t *begin = from + 31;
	uint64_t n = 7;

	__asm__ volatile("std; rep movsw; cld" : "+D"(end), "+S"(begin), "+c"(n) : : "memory");
	end = to;
	n = 0;
	__asm__ volatile("rep stosw" : "+D"(end), "+c"(n) : "a"(0) : "memory");
	n = 9;
	__asm__ volatile("repe scasw" : "+D"(end), "+c"(n) : "a"(0) : "memory", "cc");
}

int main(void)
{
	uint64_t fs_base, offset;

	__asm__("mov %%fs:0, %0" : "=r"(fs_base));
	offset = (uint64_t)own - fs_base;
	for (int i = 0; i < 3; i++) {
		ACCESS("r15", "r11");
		ACCESS("r11", "r15");
		ACCESS("r12", "r13");
		ACCESS("r13", "r12");
		ACCESS("r14", "r11");
		ACCESS("rbx", "r9");
		ACCESS("r15", "r10");
		repeat();
	}
	puts("done");
	return 0;
}
