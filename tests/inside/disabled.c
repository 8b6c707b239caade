/* Uses all macros of the measuring headers with PA_DISABLE. They leave no code, and their values say so. */
#include <itrace/counters.h>
#include <itrace/scopes.h>
#include <itrace/timestamp.h>

int main(void)
{
	struct pa_count c = PA_COUNT_INIT;
	struct pa_time t;

	PA_SCOPE();
	PA_TIME_BEGIN(t);
	if (PA_COUNT_BEGIN(c, "cycles", "instructions") != PA_COUNT_DISABLED)
		return 1;
	PA_COUNT_END(c);
	PA_COUNT_PRINT(c, 0);
	PA_TIME_END(t);
	PA_TIME_CALIBRATE();
	if (c.n_events != 2 || c.values[0] != PA_COUNT_NONE || c.values[1] != PA_COUNT_NONE)
		return 1;
	PA_COUNT_CLOSE(c);
	return PA_TIME_NS(t) != 0 || PA_TIME_CYCLES(t) != 0;
}
