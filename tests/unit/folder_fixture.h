/* A temporary folder for the files of a test. */
#ifndef ITRACE_TESTS_UNIT_FOLDER_FIXTURE_H
#define ITRACE_TESTS_UNIT_FOLDER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/array.h"

static char folder[] = "/tmp/itrace-test-XXXXXX";

/* Group setup: creates the folder and enters it. */
static __attribute__((unused)) int enter_folder(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	return chdir(folder);
}

/* Group teardown. */
static int remove_folder(void **state)
{
	char *command = xasprintf("rm -r '%s'", folder);
	int status = system(command);

	(void)state;
	free(command);
	return status;
}

#endif
