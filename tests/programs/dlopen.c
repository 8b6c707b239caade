/* The region is in a library that dlopen loads twice, perhaps at different addresses. Its marker counts once.
 *
 * ANSWER
 *   args {library}
 *   region counted: visits 2, instructions 45
 *    15  ADD r32, r32
 *    15  DEC r32
 *    15  JNZ rel8
 *   stdout 55 15
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static int call_counted(const char *library, int n)
{
	void *handle = dlopen(library, RTLD_NOW);
	if (!handle) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	int (*counted)(int) = (int (*)(int))dlsym(handle, "counted");
	int sum = counted(n);
	dlclose(handle);
	return sum;
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	int ten = call_counted(argv[1], 10), five = call_counted(argv[1], 5);
	printf("%d %d\n", ten, five);
	return 0;
}
