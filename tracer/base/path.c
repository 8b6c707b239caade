#include "base/path.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

const char *path_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* True if the n_bytes of `out` end in a name that a following ".." removes. */
static bool ends_in_name(const char *out, size_t n_bytes)
{
	if (n_bytes == 0 || out[n_bytes - 1] == '/')
		return false;
	return !(n_bytes >= 2 && memcmp(out + n_bytes - 2, "..", 2) == 0 && (n_bytes == 2 || out[n_bytes - 3] == '/'));
}

static size_t drop_name(const char *out, size_t n_bytes)
{
	while (n_bytes > 0 && out[n_bytes - 1] != '/')
		n_bytes--;
	return n_bytes > 1 ? n_bytes - 1 : n_bytes;
}

char *path_normalize(const char *path)
{
	char *out = xcalloc(strlen(path) + 2, 1);
	size_t n = 0;

	if (path[0] == '/')
		out[n++] = '/';
	while (*path) {
		size_t n_name = strcspn(path, "/");

		if (n_name == 2 && memcmp(path, "..", 2) == 0 && ends_in_name(out, n)) {
			n = drop_name(out, n);
		} else if (n_name > 0 && !(n_name == 1 && path[0] == '.')) {
			if (n > 0 && out[n - 1] != '/')
				out[n++] = '/';
			memcpy(out + n, path, n_name);
			n += n_name;
		}
		path += n_name;
		path += *path == '/';
	}
	out[n] = '\0';
	return out;
}

char *path_join(const char *folder, const char *path)
{
	size_t n_folder = folder ? strlen(folder) : 0;
	char *joined, *normal;

	if (path[0] == '/' || n_folder == 0 || (strncmp(path, folder, n_folder) == 0 && path[n_folder] == '/'))
		return path_normalize(path);
	joined = xasprintf("%s/%s", folder, path);
	normal = path_normalize(joined);
	free(joined);
	return normal;
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
