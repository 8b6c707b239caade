/* Reads its standard input and prints it on standard output and standard error.
 *
 * ANSWER
 *   stdin two words
 *   region reading: visits 1, cut 0
 *   stdout got 'two words'
 *
 * ANSWER
 *   closed 2
 *   stdin two words
 *   region reading: visits 1, cut 0
 *   stdout got 'two words'
 *   exit 3
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <itrace/markers.h>

int main(void)
{
	char line[100] = "";

	PA_BEGIN("reading");
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	PA_END("reading");
	line[strcspn(line, "\n")] = 0;
	printf("got '%s'\n", line);
	fflush(stdout);
	return write(STDERR_FILENO, "noise\n", 6) == 6 ? 0 : 3;
}
