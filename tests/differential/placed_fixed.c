/* Maps memory at fixed addresses, from 256 MB upwards and below all position-independent programs, as emulators and
 * language runtimes do, and grows its heap and its stack by more than a gigabyte and by 100 MB. Prints the results,
 * which must not depend on the tracer. Other threads compute and wait meanwhile. With a second argument it only
 * replaces mappings, which the tracer cannot see outside of regions:
 *
 *     placed_fixed [THREADS [only]]
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define MB UINT64_C(0x100000)

static atomic_bool is_over;
static atomic_uint n_wrong;
static int ends[2]; /* of a pipe */

__attribute__((noinline)) static uint64_t work(uint64_t n)
{
	uint64_t sum = 1;

	for (uint64_t i = 0; i < n; i++)
		sum = sum * 33 + (i ^ sum >> 7);
	return sum;
}

/* One thread waits for the end in a system call, others sleep often. */
static void *compute(void *number)
{
	uint64_t sum = 0;
	char byte = 0;

	if (!number && (read(ends[0], &byte, 1) != 1 || byte != 'e'))
		n_wrong++;
	while (!is_over) {
		sum += work(1000);
		if ((uintptr_t)number % 2)
			usleep(50);
	}
	return (void *)(uintptr_t)(sum & 1);
}

static void show(const char *what, uint64_t result)
{
	printf("%s: %llx, %s; %llx\n", what, (unsigned long long)result,
	       result == UINT64_MAX ? strerror(errno) : "done", (unsigned long long)work(300));
}

static char *map(uint64_t va, uint64_t n_bytes, int flags)
{
	return mmap((void *)va, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags,
		    -1, 0);
}

/* Maps over a range and checks that it is the program's own. */
static void take(uint64_t va, uint64_t n_bytes)
{
	char *bytes = map(va, n_bytes, MAP_FIXED);

	show("mmap", (uint64_t)bytes);
	n_wrong += bytes != (char *)va;
	for (uint64_t i = 0; i < n_bytes; i += MB / 4) {
		n_wrong += bytes[i] != 0;
		bytes[i] = 1;
	}
	work(300);
	for (uint64_t i = 0; i < n_bytes; i += MB / 4)
		n_wrong += bytes[i] != 1;
	show("wrong", n_wrong);
}

static void take_range(uint64_t va, uint64_t n_bytes)
{
	show("mprotect", (uint64_t)mprotect((void *)va, n_bytes, PROT_READ));
	show("hint", (uint64_t)map(va, n_bytes, 0));
	show("munmap", (uint64_t)munmap((void *)va, n_bytes));
	show("new", (uint64_t)map(va, n_bytes, MAP_FIXED_NOREPLACE));
	take(va, n_bytes);
	show("munmap", (uint64_t)munmap((void *)va, n_bytes));
}

static void move(uint64_t va, uint64_t n_bytes)
{
	char *from = map(0, n_bytes, 0);

	show("mremap", (uint64_t)mremap(from, n_bytes, n_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)va));
	show("munmap", (uint64_t)munmap((void *)va, n_bytes));
}

/* glibc's sbrk() would add to what the kernel refused. */
static void grow_heap(void)
{
	char *begin = sbrk(0);

	for (uint64_t i = 1; i <= 20; i++)
		if (brk(begin + i * 80 * MB) != 0) {
			show("brk", i);
			return;
		}
	begin[1599 * MB] = 1;
	show("brk", (uint64_t)brk(begin));
}

__attribute__((noinline)) static uint64_t use_stack(uint64_t n)
{
	volatile char bytes[MB / 16] = {(char)n};

	return n ? use_stack(n - 1) + (uint64_t)bytes[0] : work(10);
}

static void grow_stack(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_STACK, &limit);
	limit.rlim_cur = 120 * MB;
	if (setrlimit(RLIMIT_STACK, &limit) == 0)
		show("stack", use_stack(1600));
}

int main(int argc, char **argv)
{
	size_t n_threads = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	pthread_t threads[8];

	if (pipe(ends) != 0)
		return 1;
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < n_threads; i++)
		pthread_create(&threads[i], NULL, compute, (void *)i);
	show("begin", 0);
	if (argc > 2) {
		take(0x555500000000, 1024 * MB);
		munmap((void *)0x555500000000, 1024 * MB);
		take(256 * MB, 1700 * MB);
		return n_wrong != 0;
	}
	take_range(0x555500000000, 1024 * MB);
	take_range(256 * MB, 768 * MB);
	move(0x40000000, 1000 * MB);
	move(0x555510000000, 750 * MB);
	show("MAP_32BIT", (uint64_t)map(0, 4096, MAP_32BIT) != UINT64_MAX);
	take_range(256 * MB, 1700 * MB);
	grow_heap();
	grow_stack();
	is_over = true;
	n_wrong += write(ends[1], "e", 1) != 1;
	for (size_t i = 0; i < n_threads; i++)
		pthread_join(threads[i], NULL);
	return n_wrong != 0;
}
