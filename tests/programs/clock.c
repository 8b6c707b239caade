/* clock_gettime through libc and the vDSO inside a region.
 *
 * ANSWER
 *   region clock: visits 1, cut 0, instructions >= 30
 *   stdout forward
 */
#include <stdio.h>
#include <time.h>

#include <itrace/markers.h>

int main(void)
{
	struct timespec then, now;

	clock_gettime(CLOCK_MONOTONIC, &then);
	PA_BEGIN("clock");
	for (int i = 0; i < 3; i++)
		clock_gettime(CLOCK_MONOTONIC, &now);
	PA_END("clock");
	puts(now.tv_sec > then.tv_sec || (now.tv_sec == then.tv_sec && now.tv_nsec >= then.tv_nsec) ? "forward"
												    : "backward");
	return 0;
}
