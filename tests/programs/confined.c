/* Confines itself with seccomp's strict mode halfway, in which all system calls but read, write and exit kill it, for
 * tests/processes/limits.py: confined ROUNDS [LOOPS]
 *
 * Each round writes a function and calls it, so that its code changes as it runs. Prints "sum N", the sum of what they
 * yielded:
 * the numbers below ROUNDS. At the end compute() executes 5 instructions for each of LOOPS. */
#include <linux/seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint32_t call_new_code(uint8_t *code, uint32_t number)
{
	uint32_t (*function)(void);

	code[0] = 0xb8; /* mov eax, number; ret */
	memcpy(code + 1, &number, sizeof(number));
	code[5] = 0xc3;
	memcpy(&function, &code, sizeof(function));
	return function();
}

__attribute__((noinline)) void compute(uint64_t n_loops);
void compute(uint64_t n_loops)
{
	for (uint64_t i = 0; i < n_loops; i++)
		__asm__ volatile("nop; nop");
}

int main(int argc, char **argv)
{
	uint32_t n_rounds = argc > 1 ? (uint32_t)atoi(argv[1]) : 10;
	uint8_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t sum = 0;
	char text[64];
	int n;

	if (code == MAP_FAILED)
		return 1;
	for (uint32_t i = 0; i < n_rounds; i++) {
		if (i == n_rounds / 2 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) < 0)
			return 2;
		sum += call_new_code(code, i);
	}
	compute(argc > 2 ? strtoull(argv[2], NULL, 10) : 0);
	n = snprintf(text, sizeof(text), "sum %llu\n", (unsigned long long)sum);
	/* exit_group is none of the three. */
	syscall(SYS_exit, write(STDOUT_FILENO, text, (size_t)n) != n);
}
