#include "source/dwarf_paths.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "source/dwarf_text.h"

/* Whether `out`, of n_bytes, ends in a name that ".." takes back. */
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

char *dwarf_paths_clean(const char *path)
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

char *dwarf_paths_join(const char *folder, const char *path)
{
	size_t n_folder = folder ? strlen(folder) : 0;
	char *joined, *clean;

	if (path[0] == '/' || n_folder == 0 || (strncmp(path, folder, n_folder) == 0 && path[n_folder] == '/'))
		return dwarf_paths_clean(path);
	joined = xasprintf("%s/%s", folder, path);
	clean = dwarf_paths_clean(joined);
	free(joined);
	return clean;
}

static bool is_regular_or_missing(const char *path)
{
	struct stat status;

	return stat(path, &status) != 0 || S_ISREG(status.st_mode);
}

/* A relative path is one from the folder of the file that is open as fd. */
static bool is_safe_from(const char *path, int fd)
{
	char link[32], file[PATH_MAX], *joined, *slash;
	ssize_t n_bytes;
	bool is_safe;

	if (path[0] == '/')
		return is_regular_or_missing(path);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n_bytes = readlink(link, file, sizeof(file) - 1);
	if (n_bytes <= 0)
		return false;
	file[n_bytes] = '\0';
	slash = strrchr(file, '/');
	if (slash)
		slash[1] = '\0';
	joined = xasprintf("%s%s", slash ? file : "", path);
	is_safe = is_regular_or_missing(joined);
	free(joined);
	return is_safe;
}

bool dwarf_paths_alt_is_safe(Dwarf *dwarf, int fd)
{
	const char *name;
	const void *build_id;

	return dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &build_id) <= 0 || is_safe_from(name, fd);
}

bool dwarf_paths_split_is_safe(Dwarf_Die *unit, int fd)
{
	const char *name = dwarf_text_get(unit, DW_AT_dwo_name), *folder = dwarf_text_get(unit, DW_AT_comp_dir);
	char *joined;
	bool is_safe;

	if (!name)
		name = dwarf_text_get(unit, DW_AT_GNU_dwo_name);
	if (!name)
		return true;
	if (!is_safe_from(name, fd))
		return false;
	if (name[0] == '/' || !folder)
		return true;
	joined = xasprintf("%s/%s", folder, name);
	is_safe = is_safe_from(joined, fd);
	free(joined);
	return is_safe;
}
