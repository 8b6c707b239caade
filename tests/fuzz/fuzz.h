/* What the fuzz targets share: they read files, so each input becomes one. */
#ifndef ITRACE_TESTS_FUZZ_H
#define ITRACE_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Called by libFuzzer, or by replay.c for each file of the corpus. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A file in memory that holds the bytes; its path stays valid until fuzz_file_close. */
struct fuzz_file {
	int fd;
	char path[32];
};
void fuzz_file_open(struct fuzz_file *file, const uint8_t *data, size_t size);
void fuzz_file_close(struct fuzz_file *file);

#endif
