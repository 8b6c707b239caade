/* A region in which the program executes another one. The visit is cut, and the regions of the new program are found.
 *
 * ANSWER
 *   args {kinds}
 *   region before: visits 1, cut 1, instructions >= 10
 *   region counted: visits 2, instructions 45
 *   stdout 55 15
 */
#include <unistd.h>

#include <itrace/markers.h>

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	PA_BEGIN("before");
	execv(argv[1], argv + 1);
	PA_END("before");
	return 1;
}
