/* Shared by the fuzz targets. The code under test reads files, so each input becomes a file. */
#ifndef ITRACE_TESTS_FUZZ_H
#define ITRACE_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer calls this, or replay.c for each file of the corpus. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A file in memory with the bytes. Its path stays valid until fuzz_file_close. */
struct fuzz_file {
	int fd;
	char path[32];
};
void fuzz_file_open(struct fuzz_file *file, const uint8_t *data, size_t size);
void fuzz_file_close(struct fuzz_file *file);

#endif
