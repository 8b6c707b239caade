/* 100 instructions in region "hundred", in a program with the usual libraries. */
#include <itrace/markers.h>

int main(void)
{
	PA_BEGIN("hundred");
	__asm__ __volatile__(".rept 100\n\tnop\n\t.endr");
	PA_END("hundred");
	return 0;
}
