/* A function whose first instruction waits for another thread, which fills the page that the instruction reads. itrace
 * holds all other threads while it steps over the breakpoint at the function's begin: tests/processes/processes.py. */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE_BYTES = 4096, SKIPPED = 77 };

__attribute__((naked, noinline)) static int first_byte(const char *page __attribute__((unused)))
{
	__asm__("movsbl (%rdi), %eax\n\tret");
}

static void *fill(void *arg)
{
	static char content[PAGE_BYTES] __attribute__((aligned(PAGE_BYTES))) = "x";
	int fd = *(int *)arg;
	struct uffdio_copy copy = {.src = (uintptr_t)content, .len = PAGE_BYTES};
	struct uffd_msg message;

	if (read(fd, &message, sizeof(message)) != sizeof(message))
		return NULL;
	copy.dst = message.arg.pagefault.address & ~(uint64_t)(PAGE_BYTES - 1);
	ioctl(fd, UFFDIO_COPY, &copy);
	return NULL;
}

int main(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register range = {.mode = UFFDIO_REGISTER_MODE_MISSING};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
	pthread_t filler;
	char *page;

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) < 0)
		return SKIPPED;
	page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	range.range.start = (uintptr_t)page;
	range.range.len = PAGE_BYTES;
	if (ioctl(fd, UFFDIO_REGISTER, &range) < 0)
		return SKIPPED;
	pthread_create(&filler, NULL, fill, &fd);
	printf("%c\n", first_byte(page));
	pthread_join(filler, NULL);
	return 0;
}
