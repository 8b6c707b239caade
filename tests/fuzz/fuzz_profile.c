/* Saved profiles: the input is taken for a file, and for the sections in one in plain numbers, as no fuzzer finds a checksum.
 * What loads goes through all reports and is saved again, both ways. */
#include "fuzz.h"
#include "profile_checks.h"
#include "profile/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	struct profile profile;
	struct error err = {0};

	if (format_load_bytes(bytes, n_bytes, "input", &profile, &err)) {
		profile_check_reports(&profile, n_bytes);
		profile_deinit(&profile);
	}
	profile_check_sections(bytes, n_bytes, false);
	return 0;
}
