#include "profile/syscall_name.h"

#include <stddef.h>

#include "base/array.h"

/* Generated from <asm/unistd_64.h> and <asm/unistd_32.h> by the build. */
#include "profile/syscall_names.inc"

const char *syscall_name(int64_t number, bool is_int80)
{
	size_t n_names = is_int80 ? ARRAY_LENGTH(names_32) : ARRAY_LENGTH(names_64);

	if (number < 0 || (uint64_t)number >= n_names)
		return NULL;
	return is_int80 ? names_32[number] : names_64[number];
}
