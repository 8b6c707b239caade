/* One region in every kind of executable: PIE, not PIE, static, static PIE, stripped, and from a shared library.
 *
 * ANSWER
 *   region counted: visits 2, markers 1, instructions 45
 *    15  ADD r32, r32
 *    15  DEC r32
 *    15  JNZ rel8
 *   stdout 55 15
 */
#include <stdio.h>

#include "counted.h"

int main(void)
{
	int ten = counted(10), five = counted(5);
	printf("%d %d\n", ten, five);
	return 0;
}
