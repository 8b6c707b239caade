/* What the targets do with a saved profile. */
#ifndef ITRACE_TESTS_FUZZ_PROFILE_CHECKS_H
#define ITRACE_TESTS_FUZZ_PROFILE_CHECKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

/* Reports on a profile, in all ways unless STRIDE is set; n_bytes, of the input, then says in which. */
void profile_check_reports(const struct profile *profile, size_t n_bytes);

/* Takes the bytes for the content of a file. A profile that loads is reported on, saved and loaded again. */
void profile_check_content(const uint8_t *bytes, size_t n_bytes);

#endif
