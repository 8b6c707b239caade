/* Names of Linux's system calls, as the kernel headers of the building machine have them. */
#ifndef ITRACE_PROFILE_SYSCALL_NAME_H
#define ITRACE_PROFILE_SYSCALL_NAME_H

#include <stdbool.h>
#include <stdint.h>

/* "write"; NULL when there is none of this number. is_int80: the number is of the 32-bit table. */
const char *syscall_name(int64_t number, bool is_int80);

#endif
