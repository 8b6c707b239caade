#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void fuzz_file_open(struct fuzz_file *file, const uint8_t *data, size_t size)
{
	file->fd = memfd_create("input", MFD_CLOEXEC);
	if (file->fd < 0 || write(file->fd, data, size) != (ssize_t)size)
		abort();
	snprintf(file->path, sizeof(file->path), "/proc/self/fd/%d", file->fd);
}

void fuzz_file_close(struct fuzz_file *file)
{
	close(file->fd);
}
