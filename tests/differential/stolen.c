/* stolen 8|9|10|13|14: uses all registers except one that a log may borrow, long enough for traces. Uses that one
 * rarely, as an argument of system calls, as base and as index. Prints what it read and computed. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint64_t words[64];

#define COUNT(a, b, c, d, e)                                                                                           \
	__asm__ volatile("1: add $1, %%" a "; add $2, %%" b "; add $3, %%" c "; add $4, %%" d "; lea 5(%%" e "), %%" e \
			 "; dec %0; jnz 1b"                                                                            \
			 : "+r"(n)                                                                                     \
			 :                                                                                             \
			 : a, b, c, d, e, "cc")

/* pread64(fd, &value, 8, place, -, -) ignores R8 and R9 but must preserve them. */
static uint64_t read_at(int fd, uint64_t place)
{
	uint64_t value = 0;
	register uint64_t r10 __asm__("r10") = place;
	register uint64_t r8 __asm__("r8") = place + 1;
	register uint64_t r9 __asm__("r9") = place + 2;
	long result = SYS_pread64;

	__asm__ volatile("syscall"
			 : "+a"(result), "+r"(r10), "+r"(r8), "+r"(r9)
			 : "D"((long)fd), "S"(&value), "d"(sizeof(value))
			 : "rcx", "r11", "memory");
	return value + r10 + r8 + r9 + (uint64_t)result;
}

#define ADD_UP(base)                                                                              \
	__asm__ volatile("mov %1, %%" base "; mov %2, %%r11; mov (%%" base "), %0; add 8(%%" base \
			 ", %%r11, 8), %0; add (%%" base "), %0;"                                 \
			 "add %%r11, (%%" base ", %%r11, 2)"                                      \
			 : "=&r"(sum)                                                             \
			 : "r"(words), "r"(index)                                                 \
			 : "r11", base, "cc", "memory")

int main(int argc, char **argv)
{
	int left = argc > 1 ? atoi(argv[1]) : 0, fd = open(argv[0], O_RDONLY);
	uint64_t total = 0;

	for (uint64_t round = 0; round < 400; round++) {
		uint64_t n = 50000, index = round % 32, sum = 0;

		words[round % 64] += round;
		if (left == 8)
			COUNT("r9", "r10", "r13", "r14", "r15");
		else if (left == 9)
			COUNT("r8", "r10", "r13", "r14", "r15");
		else if (left == 10)
			COUNT("r8", "r9", "r13", "r14", "r15");
		else if (left == 13)
			COUNT("r8", "r9", "r10", "r14", "r15");
		else
			COUNT("r8", "r9", "r10", "r13", "r15");
		ADD_UP("r8");
		total += sum;
		ADD_UP("r9");
		total += sum;
		ADD_UP("r10");
		total += sum;
		ADD_UP("r13");
		total += sum;
		ADD_UP("r14");
		total += sum;
		ADD_UP("r15");
		total += sum + read_at(fd, round * 8);
	}
	printf("%016llx\n", (unsigned long long)total);
	return 0;
}
