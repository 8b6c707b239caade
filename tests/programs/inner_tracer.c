/* Asks to be traced and prints the answer, or ends as LeakSanitizer does when it may not trace the program:
 *
 *     inner_tracer [leaks]
 */
#include <stdio.h>
#include <sys/ptrace.h>

/* A function of LeakSanitizer's interface. */
void __lsan_do_leak_check(void); // NOLINT(bugprone-reserved-identifier)
void __lsan_do_leak_check(void)	 // NOLINT(bugprone-reserved-identifier)
{
}

int main(int argc, char **argv)
{
	enum { STATUS_LEAKS = 23 };

	(void)argv;
	if (argc > 1)
		return STATUS_LEAKS;
	printf("%ld\n", ptrace(PTRACE_TRACEME, 0, NULL, NULL));
	return 0;
}
