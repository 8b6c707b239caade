/* Names of Linux's system calls, from the kernel headers of the build machine. */
#ifndef ITRACE_PROFILE_SYSCALL_NAME_H
#define ITRACE_PROFILE_SYSCALL_NAME_H

#include <stdbool.h>
#include <stdint.h>

/* "write"; NULL if there is none. is_int80: the number is of the 32-bit table. */
const char *syscall_name(int64_t number, bool is_int80);

#endif
