#include "cli/options/output_path.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

char *output_path_expand(const char *path, int32_t pid)
{
	char *expanded = xstrdup("");

	for (const char *at = path; *at;) {
		size_t length = strcspn(at, "%");
		bool is_pid = at[length] == '%' && at[length + 1] == 'p';
		char *longer;

		if (is_pid) {
			longer = xasprintf("%s%.*s%d", expanded, (int)length, at, (int)pid);
			length += 2;
		} else {
			length += at[length] == '%';
			longer = xasprintf("%s%.*s", expanded, (int)length, at);
		}
		free(expanded);
		expanded = longer;
		at += length;
	}
	return expanded;
}
