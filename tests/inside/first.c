#include "shared.h"

static void same_name(void)
{
	PA_SCOPE();
}

int main(void)
{
	int i;

	for (i = 0; i < 3; i++)
		same_name();
	in_header();
	second_file();
	return 0;
}
