/* Maps more memory than fits between its libraries and other mappings, prints the address, and reads its memory map
 * like a library. The results must not depend on the tracer. */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static void map(size_t n_bytes, int flags)
{
	void *at = mmap(NULL, n_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);

	printf("%zu bytes: %p\n", n_bytes, at);
	/* Counts also show differences. */
	for (uintptr_t bits = (uintptr_t)at; bits; bits >>= 1)
		if (bits & 1)
			putchar('1');
	putchar('\n');
}

/* glibc finds the stack in the memory map. */
static void find_stack(void)
{
	pthread_attr_t attributes;
	void *address;
	size_t size;

	if (pthread_getattr_np(pthread_self(), &attributes) != 0 ||
	    pthread_attr_getstack(&attributes, &address, &size) != 0)
		return;
	printf("stack: %p, %zu bytes\n", address, size);
	pthread_attr_destroy(&attributes);
}

/* Reads n_at_once bytes at a time, or from an offset. */
__attribute__((noinline)) static void read_map(int fd, size_t n_at_once, off_t offset)
{
	char bytes[8192];
	ssize_t n;

	while ((n = offset ? pread(fd, bytes, n_at_once, offset) : read(fd, bytes, n_at_once)) > 0) {
		unsigned sum = 0;

		for (ssize_t i = 0; i < n; i += 32)
			sum = sum * 31 + (unsigned char)bytes[i];
		printf("%zd bytes, at %jd: %u\n", n, (intmax_t)lseek(fd, 0, SEEK_CUR), sum);
		offset += offset ? n : 0;
	}
	close(fd);
}

int main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	map(3 << 20, 0);
	map((size_t)1500 << 20, 0);
	map((size_t)4 << 30, 0);
	map((size_t)90 << 20, 0);
	map((size_t)1 << 30, MAP_32BIT);
	/* Makes the map longer than Linux returns in one read. */
	for (size_t i = 0; i < 60; i++)
		mmap(NULL, 4096, i % 2 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	find_stack();
	read_map(open("/dev/null", O_RDONLY), 1024, 0);
	read_map(open("/proc/self/maps", O_RDONLY), 1024, 0);
	read_map(open("/proc/self/maps", O_RDONLY), 8192, 0);
	read_map(open("/proc/thread-self/maps", O_RDONLY), 500, 1000);
	return 0;
}
