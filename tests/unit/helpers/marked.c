/* Two regions, for every way to link a program. */
#include <itrace/markers.h>
#include <stdio.h>

int marked_work(int n);

__attribute__((noinline)) int marked_work(int n)
{
	int sum = 0;

	PA_BEGIN("loop");
	for (int i = 0; i < n; i++)
		sum += i * n;
	PA_END("loop");
	return sum;
}

int main(int argc, char **argv)
{
	(void)argv;
	PA_BEGIN();
	printf("%d\n", marked_work(argc));
	PA_END();
	return 0;
}
