/* Generates a function that counts down from the number in argv[1], calls it, and names it as just-in-time compilers
 * do: 2 instructions each round, and a RET. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	/* 1: dec edi; jnz 1b; ret */
	static const unsigned char code[] = {0xff, 0xcf, 0x75, 0xfc, 0xc3};
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	char path[64];
	FILE *map;

	memcpy(page, code, sizeof(code));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	((void (*)(int))page)(rounds);
	map = fopen(path, "w");
	fprintf(map, "%lx %zx JS:Counter.down\n", (unsigned long)page, sizeof(code));
	fclose(map);
	puts(path); /* for the test to remove */
	return 0;
}
