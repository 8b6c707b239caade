/* A scope around the first use of timestamp.h and counters.h, when the kernel takes 20 ms for each event. */
#include <itrace/counters.h>
#include <itrace/scopes.h>
#include <itrace/timestamp.h>

#define KERNEL_NS 20000000

#ifdef __cplusplus
extern "C"
#endif
	long
	syscall(long number, ...)
{
	uint64_t begin = itrace_clock_ns_();

	(void)number;
	while (itrace_clock_ns_() - begin < KERNEL_NS)
		;
	errno = ENOENT;
	return -1;
}

int main(void)
{
	struct pa_count c = PA_COUNT_INIT;
	struct pa_time t;

	PA_SCOPE("around");
	PA_COUNT_BEGIN(c, "cycles", "instructions", "branches");
	PA_COUNT_END(c);
	PA_TIME_BEGIN(t);
	PA_TIME_END(t);
	PA_TIME_CALIBRATE();
	return PA_TIME_NS(t) > 1e9 || PA_TIME_CYCLES(t) > 1e9;
}
