/* Prints its user and group, for tests/processes/limits.py: identity [wait]
 *
 * Prints "ready" and then "user N group N", the effective ones, and whether it holds CAP_NET_RAW: "raw 0" or "raw 1".
 * With `wait` it
 * waits for the end of its input in between. */
#include <linux/capability.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};
	char byte;

	(void)argv;
	puts("ready");
	fflush(stdout);
	if (argc > 1 && read(STDIN_FILENO, &byte, 1) < 0)
		return 1;
	syscall(SYS_capget, &header, data);
	printf("user %u group %u raw %u\n", geteuid(), getegid(), data[0].permitted >> CAP_NET_RAW & 1);
	return 0;
}
