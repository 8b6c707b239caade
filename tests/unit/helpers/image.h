/* Files as bytes in memory, for tests that read damaged files. Include it after cmocka.h. */
#ifndef ITRACE_TESTS_HELPERS_IMAGE_H
#define ITRACE_TESTS_HELPERS_IMAGE_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct image {
	uint8_t *bytes;
	size_t n_bytes;
};

/* A file that exists only in memory; `path` opens it while fd is open. */
struct memory_file {
	int fd;
	char path[64];
};

static inline void image_read(struct image *image, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &status), 0);
	image->n_bytes = (size_t)status.st_size;
	image->bytes = malloc(image->n_bytes);
	assert_non_null(image->bytes);
	assert_int_equal(read(fd, image->bytes, image->n_bytes), image->n_bytes);
	close(fd);
}

static inline void memory_file_create(struct memory_file *file, const void *bytes, size_t n_bytes)
{
	file->fd = memfd_create("image", MFD_CLOEXEC);
	assert_true(file->fd >= 0);
	snprintf(file->path, sizeof(file->path), "/proc/self/fd/%d", file->fd);
	assert_int_equal(write(file->fd, bytes, n_bytes), n_bytes);
}

/* Gives one fixed sequence in every run. */
static inline uint32_t image_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u; /* Knuth, MMIX */
	return (uint32_t)(*state >> 32);
}

/* Damages a copy of the image: flips up to 8 bytes, half of them in the ELF header and the tables at the end, and
 * truncates every fourth copy. */
static inline void image_damage(const struct image *image, uint8_t *copy, size_t *n_bytes, uint64_t *state)
{
	uint32_t n_flips = image_random(state) % 9;

	memcpy(copy, image->bytes, image->n_bytes);
	*n_bytes = image->n_bytes;
	for (uint32_t i = 0; i < n_flips; i++) {
		size_t at = image_random(state) % image->n_bytes;

		if (image_random(state) % 4 == 0)
			at %= 1024;
		else if (image_random(state) % 3 == 0)
			at = image->n_bytes - 1 - at % (image->n_bytes / 4);
		copy[at] = image_random(state) % 4 == 0 ? 0xff : (uint8_t)image_random(state);
	}
	if (image_random(state) % 4 == 0)
		*n_bytes = image_random(state) % (image->n_bytes + 1);
}

#endif
