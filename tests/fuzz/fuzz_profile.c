/* Reads saved runs. The input is used as a file, and also as the content of one, because no fuzzer finds a checksum.
 * A profile that loads goes through all reports and is saved again. */
#include "fuzz.h"
#include "profile_checks.h"
#include "savefile/content.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	struct profile profile;
	struct error err = {0};

	if (savefile_read_bytes(bytes, n_bytes, "input", &profile, &err)) {
		profile_check_reports(&profile, n_bytes);
		profile_deinit(&profile);
	}
	profile_check_content(bytes, n_bytes);
	return 0;
}
