/* The second file of a program, in either language, or its shared library, or a plugin. */
#include "shared.h"

static void same_name(void)
{
	PA_SCOPE();
}

void second_file(void)
{
	int i;

	for (i = 0; i < 5; i++)
		same_name();
	in_header();
	in_header();
}
