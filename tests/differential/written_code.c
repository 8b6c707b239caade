/* Threads write functions into one page, each its own, and call them. Exits with 1 if a call executes earlier code, or
 * if something else fails that cannot fail without itrace.
 *
 *     written_code threads|read|fork MILLISECONDS
 *
 * threads: nothing else happens. read: the main thread reads a file into the page. fork: it forks. */
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4, SLOT_BYTES = 64, READ_OFFSET = 3000, READ_BYTES = 100, PAGE_BYTES = 4096 };

static unsigned char *page;
static volatile int stop;

static void *write_and_call(void *slot)
{
	for (int i = 0; !stop; i++) {
		/* lea EAX, [RDI + i]; ret */
		unsigned char code[] = {0x8d, 0x87, 0, 0, 0, 0, 0xc3};
		int (*add)(int);

		memcpy(code + 2, &i, sizeof(i));
		memcpy(slot, code, sizeof(code));
		memcpy(&add, &slot, sizeof(add));
		if (add(5) != i + 5)
			errx(1, "the code of iteration %d was not executed", i);
		usleep(i % 2 ? 50 : 0);
	}
	return NULL;
}

static void disturb(const char *mode, int zeros)
{
	int status;
	pid_t pid;

	if (strcmp(mode, "read") == 0 && read(zeros, page + READ_OFFSET, READ_BYTES) != READ_BYTES)
		err(1, "read");
	if (strcmp(mode, "fork") != 0)
		return;
	pid = fork();
	if (pid == 0)
		_exit(3);
	if (waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 3)
		errx(1, "child");
}

static long elapsed_ms(const struct timespec *begin)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - begin->tv_sec) * 1000 + (now.tv_nsec - begin->tv_nsec) / 1000000;
}

int main(int argc, char **argv)
{
	int zeros = open("/dev/zero", O_RDONLY);
	pthread_t threads[THREADS];
	struct timespec begin;

	if (argc != 3)
		errx(2, "Usage: written_code threads|read|fork MILLISECONDS");
	page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (zeros < 0 || page == MAP_FAILED)
		err(2, "page");
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (size_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, write_and_call, page + i * SLOT_BYTES) != 0)
			errx(2, "pthread_create");
	while (elapsed_ms(&begin) < atol(argv[2])) {
		disturb(argv[1], zeros);
		usleep(100);
	}
	stop = 1;
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
