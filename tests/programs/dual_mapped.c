/* Code in memory that is mapped twice, as just-in-time compilers do: written to at one address, executed at another.
 * Written to in
 * place, while the other mapping is there for a moment only, through the file, while both are the same, and by a child
 * process. In each
 * turn code that adds a number n times is made and called twice: the sums are twice 0 * 0 + 1 * 1 + ... + 11 * 11, and
 * twice
 * 3 * 3 + 3 * 5.
 *
 * ANSWER --function work
 *   region work: visits 1, cut 0, instructions >= 1000
 *   ...
 *   stdout 1012 1012 1012 1012 48
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE_BYTES = 4096, N_TURNS = 12 };

typedef int function(int n);

static int fd;

/* xor eax, eax; test edi, edi; jz end; again: add eax, imm32; dec edi; jnz again; end: ret */
static void make_code(uint8_t *code, int32_t value)
{
	static const uint8_t bytes[] = {0x31, 0xc0, 0x85, 0xff, 0x74, 0x09, 0x05, 0,
					0,    0,    0,	  0xff, 0xcf, 0x75, 0xf7, 0xc3};

	memcpy(code, bytes, sizeof(bytes));
	memcpy(code + 7, &value, sizeof(value));
}

static uint8_t *map(int protection)
{
	uint8_t *page = mmap(NULL, PAGE_BYTES, protection, MAP_SHARED, fd, 0);

	if (page == MAP_FAILED)
		abort();
	return page;
}

static int call(const uint8_t *place, int n)
{
	function *code;

	memcpy(&code, &place, sizeof(code));
	return code(n) + code(n);
}

static int write_at_another_address(const uint8_t *code, uint8_t *data)
{
	int sum = 0;

	for (int i = 0; i < N_TURNS; i++) {
		make_code(data, i);
		sum += call(code, i);
	}
	return sum;
}

static int map_for_a_moment(const uint8_t *code)
{
	int sum = 0;

	for (int i = 0; i < N_TURNS; i++) {
		uint8_t *data = map(PROT_READ | PROT_WRITE);

		make_code(data, i);
		munmap(data, PAGE_BYTES);
		sum += call(code, i);
	}
	return sum;
}

static int write_to_the_file(const uint8_t *code)
{
	uint8_t bytes[16];
	int sum = 0;

	for (int i = 0; i < N_TURNS; i++) {
		make_code(bytes, i);
		if (pwrite(fd, bytes, sizeof(bytes), 0) != sizeof(bytes))
			abort();
		sum += call(code, i);
	}
	return sum;
}

static int write_in_a_child(const uint8_t *code, uint8_t *data)
{
	pid_t child;
	int sum;

	make_code(data, 3);
	sum = call(code, 3);
	child = fork();
	if (child == 0) {
		make_code(data, 5);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	return sum + call(code, 3);
}

__attribute__((noinline)) static void work(int sums[5])
{
	uint8_t *code = map(PROT_READ | PROT_EXEC), *data = map(PROT_READ | PROT_WRITE), *both;

	sums[0] = write_at_another_address(code, data);
	munmap(data, PAGE_BYTES);
	sums[1] = map_for_a_moment(code);
	sums[2] = write_to_the_file(code);
	both = map(PROT_READ | PROT_WRITE | PROT_EXEC);
	sums[3] = write_at_another_address(both, both);
	sums[4] = write_in_a_child(code, both);
	munmap(both, PAGE_BYTES);
	munmap(code, PAGE_BYTES);
}

int main(void)
{
	int sums[5];

	fd = memfd_create("code", 0);
	if (fd < 0 || ftruncate(fd, PAGE_BYTES) < 0)
		return 1;
	work(sums);
	printf("%d %d %d %d %d\n", sums[0], sums[1], sums[2], sums[3], sums[4]);
	return 0;
}
