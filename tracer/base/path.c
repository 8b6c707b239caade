#include "base/path.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

const char *path_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

char *path_expand_pid(const char *path, int32_t pid)
{
	char *expanded = xstrdup("");

	for (const char *at = path; *at;) {
		const char *mark = strstr(at, "%p");
		size_t n = mark ? (size_t)(mark - at) : strlen(at);
		char *longer = mark ? xasprintf("%s%.*s%d", expanded, (int)n, at, (int)pid)
				    : xasprintf("%s%s", expanded, at);

		free(expanded);
		expanded = longer;
		at += n + (mark ? 2 : 0);
	}
	return expanded;
}
