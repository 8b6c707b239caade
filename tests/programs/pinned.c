/* A program sets its own CPU affinity, and that of one of its threads, inside a region. It reads back the affinity that
 * it set.
 *
 * ANSWER
 *   region pinning: visits 1, cut 0
 */
#include <sched.h>
#include <stdio.h>

#include <itrace/markers.h>

static void show(void)
{
	cpu_set_t cpus;
	sched_getaffinity(0, sizeof(cpus), &cpus);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &cpus))
			printf(" cpu%d", cpu);
	printf("\n");
}

int main(void)
{
	cpu_set_t all, last;
	int highest = 0;

	sched_getaffinity(0, sizeof(all), &all);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &all))
			highest = cpu;
	CPU_ZERO(&last);
	CPU_SET(highest, &last);
	show();
	PA_BEGIN("pinning");
	sched_setaffinity(0, sizeof(last), &last);
	show();
	PA_END("pinning");
	show();
	return 0;
}
