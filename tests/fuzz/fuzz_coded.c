/* The sections of saved profiles as they stand in files, coded: any bytes are numbers, as many as their coder makes of them. */
#include "fuzz.h"
#include "profile_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	profile_check_sections(bytes, n_bytes, true);
	return 0;
}
