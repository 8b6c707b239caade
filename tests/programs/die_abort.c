/* abort() inside the region. Output that was not flushed is lost, as without itrace.
 *
 * ANSWER
 *   region dying: visits 1, cut 1, instructions >= 10
 *   signal SIGABRT
 */
#include <stdlib.h>

#include <itrace/markers.h>

int main(void)
{
	PA_BEGIN("dying");
	abort();
}
