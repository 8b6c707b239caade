/* Overwrites functions in memory that it may also execute, so often that itrace lets their translations check the
 * bytes. Exits with 1 if a call executes earlier code, or if something else differs from a run without itrace.
 *
 *     rewritten_code [loop] */
#include <err.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE_BYTES = 4096, REPETITIONS = 100, ALL = PROT_READ | PROT_WRITE | PROT_EXEC };

static sigjmp_buf before_fault;
static void *volatile fault_address;

static void on_fault(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	fault_address = info->si_addr;
	siglongjmp(before_fault, 1);
}

static unsigned char *map_pages(size_t n_pages, int flags, int fd)
{
	unsigned char *pages = mmap(NULL, n_pages * PAGE_BYTES, ALL, flags, fd, 0);

	if (pages == MAP_FAILED)
		err(2, "mmap");
	return pages;
}

static int call(const unsigned char *code, int argument)
{
	int (*function)(int);

	memcpy(&function, &code, sizeof(code));
	return function(argument);
}

static void expect(int result, int expected, const char *what)
{
	if (result != expected)
		errx(1, "%s: %d, not %d", what, result, expected);
}

/* lea EAX, [RDI + addend]; ret */
static void write_add(unsigned char *code, int addend)
{
	unsigned char bytes[] = {0x8d, 0x87, 0, 0, 0, 0, 0xc3};

	memcpy(bytes + 2, &addend, sizeof(addend));
	memcpy(code, bytes, sizeof(bytes));
}

static void rewrite(unsigned char *page)
{
	/* The last one ends in the next page. */
	static const size_t offsets[] = {0, 100, 1000, PAGE_BYTES - 3};

	for (int i = 0; i < REPETITIONS; i++) {
		unsigned char *code = page + offsets[i % 4];

		write_add(code, i);
		expect(call(code, 5), i + 5, "rewritten");
		expect(call(code, 6), i + 6, "rewritten, again");
	}
}

/* mov [RIP + 1], EDI; mov EAX, imm32; ret: the first instruction overwrites the second one. */
static void overwrite_next(unsigned char *page)
{
	static const unsigned char bytes[] = {0x89, 0x3d, 1, 0, 0, 0, 0xb8, 0, 0, 0, 0, 0xc3};

	memcpy(page + 200, bytes, sizeof(bytes));
	for (int i = 0; i < REPETITIONS; i++)
		expect(call(page + 200, i), i, "overwritten by itself");
}

static void expect_fault(const unsigned char *code)
{
	fault_address = NULL;
	if (sigsetjmp(before_fault, 1) == 0) {
		call(code, 1);
		errx(1, "code that is not executable was executed");
	}
	if (fault_address != code)
		errx(1, "fault at %p, not %p", fault_address, (const void *)code);
}

static void set_protection(unsigned char *page, int protection)
{
	if (mprotect(page, PAGE_BYTES, protection) != 0)
		err(2, "mprotect");
}

static void protect(unsigned char *page)
{
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};

	sigaction(SIGSEGV, &action, NULL);
	for (int i = 0; i < REPETITIONS / 10; i++) {
		write_add(page, i);
		set_protection(page, PROT_READ | PROT_WRITE);
		expect_fault(page);
		set_protection(page, PROT_NONE);
		expect_fault(page);
		set_protection(page, ALL);
		expect(call(page, 5), i + 5, "protected");
	}
}

/* A page is never writable and executable at once, and there is no memory behind it. */
static void switch_protection(void)
{
	unsigned char *page = map_pages(2, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	munmap(page + PAGE_BYTES, PAGE_BYTES);
	for (int i = 0; i < REPETITIONS; i++) {
		set_protection(page, PROT_READ | PROT_WRITE);
		write_add(page, i);
		set_protection(page, PROT_READ | PROT_EXEC);
		expect(call(page, 5), i + 5, "switched");
	}
	/* Linux changes the first page, and fails at the second one. */
	if (mprotect(page, 2 * (size_t)PAGE_BYTES, PROT_READ) == 0)
		errx(2, "mprotect beyond the end");
	expect_fault(page);
	/* Nothing is changed. */
	set_protection(page, PROT_READ | PROT_EXEC);
	if (mprotect(page + 1, PAGE_BYTES, PROT_READ) == 0)
		errx(2, "mprotect of an odd address");
	expect(call(page, 5), REPETITIONS + 4, "protected at an odd address");
}

/* Other memory gets the code's address. */
static void remap(void)
{
	unsigned char *page = map_pages(1, MAP_PRIVATE | MAP_ANONYMOUS, -1), bytes[16] = {0};
	int fd = memfd_create("", 0);

	for (int i = 0; i < REPETITIONS; i++) {
		write_add(bytes, i);
		if (ftruncate(fd, PAGE_BYTES) != 0 || pwrite(fd, bytes, sizeof(bytes), 0) != sizeof(bytes))
			err(2, "memory file");
		if (i % 2)
			munmap(page, PAGE_BYTES);
		if (i % 4 == 1)
			expect_fault(page);
		if (mmap(page, PAGE_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE | (i % 2 ? 0 : MAP_FIXED), fd, 0) != page)
			errx(2, "another address");
		expect(call(page, 5), i + 5, "mapped anew");
	}
}

/* Another process writes the code. */
static void write_elsewhere(void)
{
	int fd = memfd_create("", 0), ask[2], answer[2], status;
	char byte = 0;
	unsigned char *page;
	pid_t pid;

	if (fd < 0 || ftruncate(fd, PAGE_BYTES) != 0 || pipe(ask) != 0 || pipe(answer) != 0)
		err(2, "shared file");
	page = map_pages(1, MAP_SHARED, fd);
	pid = fork();
	if (pid == 0) {
		close(ask[1]);
		for (int i = 0; read(ask[0], &byte, 1) == 1; i++) {
			write_add(page, i);
			if (write(answer[1], &byte, 1) != 1)
				_exit(1);
		}
		_exit(0);
	}
	for (int i = 0; i < REPETITIONS; i++) {
		if (write(ask[1], &byte, 1) != 1 || read(answer[0], &byte, 1) != 1)
			err(2, "pipe");
		expect(call(page, 5), i + 5, "written by another process");
	}
	close(ask[1]);
	if (waitpid(pid, &status, 0) != pid || status != 0)
		errx(2, "child");
}

static void *spin(void *stop)
{
	while (!*(volatile bool *)stop)
		;
	return NULL;
}

/* A loop is translated while the function that it calls may have changed. Its calls must not stop the program each
 * time: then the time would not suffice. While another thread runs, itrace does not translate anew. */
static void loop(unsigned char *pages)
{
	enum { ITERATIONS = 5000000, SECONDS = 60 };
	/* push RBX; mov EBX, ITERATIONS; next: call function; dec EBX; jnz next; pop RBX; ret */
	unsigned char bytes[] = {0x53, 0xbb, 0, 0, 0, 0, 0xe8, 0, 0, 0, 0, 0xff, 0xcb, 0x75, 0xf7, 0x5b, 0xc3};
	int iterations = ITERATIONS, displacement = PAGE_BYTES - 11;

	volatile bool stop = false;
	pthread_t spinning;

	if (pthread_create(&spinning, NULL, spin, (void *)&stop) != 0)
		errx(2, "pthread_create");
	memcpy(bytes + 2, &iterations, sizeof(iterations));
	memcpy(bytes + 7, &displacement, sizeof(displacement));
	for (int i = 0; i < 4; i++) {
		write_add(pages + PAGE_BYTES, 1);
		expect(call(pages + PAGE_BYTES, 5), 6, "function of the loop");
	}
	memcpy(pages, bytes, sizeof(bytes));
	write_add(pages + PAGE_BYTES + 500, 1);
	alarm(SECONDS);
	call(pages, 5);
	alarm(0);
	stop = true;
	pthread_join(spinning, NULL);
}

int main(int argc, char **argv)
{
	unsigned char *pages = map_pages(2, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	if (argc > 1 && strcmp(argv[1], "loop") == 0) {
		loop(pages);
		return 0;
	}
	rewrite(pages);
	overwrite_next(pages);
	protect(pages);
	switch_protection();
	remap();
	write_elsewhere();
	puts("as written");
	return 0;
}
