/* Checks of the fuzz targets for a saved profile. */
#ifndef ITRACE_TESTS_FUZZ_PROFILE_CHECKS_H
#define ITRACE_TESTS_FUZZ_PROFILE_CHECKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

/* Makes all reports of a profile. If STRIDE is set, makes only some, chosen by n_bytes, the size of the input. */
void profile_check_reports(const struct profile *profile, size_t n_bytes);

/* Reads the bytes as the content of a file. Reports on a profile that loads, saves it and loads it again. */
void profile_check_content(const uint8_t *bytes, size_t n_bytes);

#endif
