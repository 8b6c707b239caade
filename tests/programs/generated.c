/* Code that changes in all the ways that programs know: written again in place, by the kernel, between changes of
 * protection, by
 * another mapping at its address, moved, on a page with data, and right before it is executed. The sums below say which
 * code was executed:
 * twice 0 0 2 2 ... 10 10; 0 + 1000 + ... + 11000; three times 0 3 6 9; the squares up to 121; 0 + 1 + ... + 11; 7 8 7
 * 9; 150 times
 * 3 and 0 + 1 + ... + 149; twice 9; 6 5.
 *
 * ANSWER --function work
 *   region work: visits 1, cut 0, instructions >= 5000
 *   ...
 *   stdout 120 66000 54 506 66 31 11625 18 11
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE_BYTES = 4096, N_TURNS = 12, N_WRITES = 150 };

typedef int function(void);

/* mov eax, imm32; ret */
static void put_code(uint8_t *place, int value)
{
	place[0] = 0xb8;
	memcpy(place + 1, &value, sizeof(value));
	place[5] = 0xc3;
}

static int call(const uint8_t *place)
{
	function *code;

	memcpy(&code, &place, sizeof(code));
	return code();
}

static uint8_t *map(void *at, int protection)
{
	uint8_t *page = mmap(at, 2 * PAGE_BYTES, protection, MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);

	if (page == MAP_FAILED)
		abort();
	return page;
}

static int write_in_place(uint8_t *page)
{
	int sum = 0;

	for (int i = 0; i < N_TURNS; i++) {
		put_code(page + 64 * (i % 2), i);
		sum += call(page) + call(page);
	}
	return sum;
}

/* The code begins in one page and ends in the next. */
static int write_across(uint8_t *page)
{
	int sum = 0;

	for (int i = 0; i < N_TURNS; i++) {
		put_code(page + PAGE_BYTES - 3, 1000 * i);
		sum += call(page + PAGE_BYTES - 3);
	}
	return sum;
}

static int toggle(uint8_t *page)
{
	int sum = 0;

	for (int i = 0; i < N_TURNS; i++) {
		mprotect(page, PAGE_BYTES, PROT_READ | PROT_WRITE);
		if (i % 3 == 0)
			put_code(page, i);
		mprotect(page, PAGE_BYTES, PROT_READ | PROT_EXEC);
		sum += call(page);
	}
	mprotect(page, PAGE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC);
	return sum;
}

static int read_by_kernel(uint8_t *page)
{
	uint8_t code[6];
	int ends[2], sum = 0;

	if (pipe(ends) < 0)
		abort();
	for (int i = 0; i < N_TURNS; i++) {
		put_code(code, i * i);
		if (write(ends[1], code, sizeof(code)) != sizeof(code) ||
		    read(ends[0], page, sizeof(code)) != sizeof(code))
			return -1;
		sum += call(page);
	}
	close(ends[0]);
	close(ends[1]);
	return sum;
}

static int map_again(uint8_t *page)
{
	int sum = 0;

	for (int i = 0; i < N_TURNS; i++) {
		munmap(page, PAGE_BYTES);
		map(page, PROT_READ | PROT_WRITE | PROT_EXEC);
		put_code(page, i);
		sum += call(page);
		if (i % 2)
			madvise(page, PAGE_BYTES, MADV_DONTNEED);
	}
	return sum;
}

static int move(uint8_t *page)
{
	uint8_t *other = map(NULL, PROT_READ | PROT_WRITE | PROT_EXEC);
	int sum;

	put_code(page, 7);
	put_code(other, 8);
	sum = call(page) + call(other);
	if (mremap(page, PAGE_BYTES, PAGE_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, other) != other)
		abort();
	sum += call(other);
	map(page, PROT_READ | PROT_WRITE | PROT_EXEC);
	put_code(page, 9);
	return sum + call(page);
}

/* More often than it pays to keep the page from being written to. */
static int data_beside_code(uint8_t *page)
{
	volatile int *data = (volatile int *)(void *)(page + 2048);
	int sum = 0;

	put_code(page, 3);
	for (int i = 0; i < N_WRITES; i++) {
		*data = i;
		sum += call(page) + *data;
	}
	return sum;
}

/* mov byte ptr [rip + 4], 9; mov eax, 1; ret: of the second instruction the second byte is the one written. */
static int write_ahead(uint8_t *page)
{
	static const uint8_t code[] = {0xc6, 0x05, 0x01, 0x00, 0x00, 0x00, 0x09, 0xb8, 0x01, 0x00, 0x00, 0x00, 0xc3};
	int sum;

	memcpy(page, code, sizeof(code));
	sum = call(page);
	page[8] = 1;
	return sum + call(page);
}

static int fork_and_write(uint8_t *page)
{
	int status;
	pid_t child;

	put_code(page, 5);
	if (call(page) != 5)
		return -1;
	child = fork();
	if (child == 0) {
		put_code(page, 6);
		_exit(call(page));
	}
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status) + call(page);
}

__attribute__((noinline)) static void work(uint8_t *page)
{
	int sums[] = {write_in_place(page),   write_across(page), toggle(page),
		      read_by_kernel(page),   map_again(page),	  move(page),
		      data_beside_code(page), write_ahead(page),  fork_and_write(page)};

	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		printf("%d%c", sums[i], i + 1 < sizeof(sums) / sizeof(sums[0]) ? ' ' : '\n');
}

int main(void)
{
	work(map(NULL, PROT_READ | PROT_WRITE | PROT_EXEC));
	return 0;
}
