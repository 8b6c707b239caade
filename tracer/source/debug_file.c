#include "source/debug_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/array.h"

#define DEBUG_ROOT "/usr/lib/debug"
#define MAX_BUILD_ID_BYTES 64 /* SHA-1 has 20, SHA-256 32 */

static int open_to_read(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

static int open_by_build_id(Elf *elf)
{
	char path[sizeof(DEBUG_ROOT "/.build-id/.debug") + 2 * MAX_BUILD_ID_BYTES + 2];
	const void *build_id;
	ssize_t n_bytes = dwelf_elf_gnu_build_id(elf, &build_id);
	const uint8_t *bytes = build_id;
	char *end = path;

	if (n_bytes < 2 || n_bytes > MAX_BUILD_ID_BYTES)
		return -1;
	end += sprintf(end, DEBUG_ROOT "/.build-id/%02x/", bytes[0]);
	for (ssize_t i = 1; i < n_bytes; i++)
		end += sprintf(end, "%02x", bytes[i]);
	strcpy(end, ".debug");
	return open_to_read(path);
}

static bool has_checksum(int fd, GElf_Word expected)
{
	uLong checksum = crc32(0, Z_NULL, 0);
	unsigned char bytes[16384];
	ssize_t n_bytes;

	while ((n_bytes = read(fd, bytes, sizeof(bytes))) > 0)
		checksum = crc32(checksum, bytes, (uInt)n_bytes);
	return n_bytes == 0 && checksum == expected;
}

static int open_if_matches(const char *path, GElf_Word checksum)
{
	int fd = open_to_read(path);

	if (fd >= 0 && !has_checksum(fd, checksum)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* The places are those of the GDB manual, "Debugging Information in Separate Files". */
static int open_by_link(const char *path, Elf *elf)
{
	static const char *const places[][2] = {{"", ""}, {"", "/.debug"}, {DEBUG_ROOT, ""}};
	GElf_Word checksum;
	const char *name = dwelf_elf_gnu_debuglink(elf, &checksum);
	char *folder, *slash;
	int fd = -1;

	if (!name || !*name || strchr(name, '/') || !(folder = realpath(path, NULL)))
		return -1;
	slash = strrchr(folder, '/');
	*slash = '\0';
	for (size_t i = 0; i < ARRAY_LENGTH(places) && fd < 0; i++) {
		char *candidate = xasprintf("%s%s%s/%s", places[i][0], folder, places[i][1], name);

		fd = open_if_matches(candidate, checksum);
		free(candidate);
	}
	free(folder);
	return fd;
}

int debug_file_open(const char *path, Elf *elf)
{
	int fd = open_by_build_id(elf);

	return fd >= 0 ? fd : open_by_link(path, elf);
}
