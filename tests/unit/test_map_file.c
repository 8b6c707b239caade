/* Reads a memory map of more than a page like Linux. */
#include "engine/translate/consistency/map_file.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { TEXT_BYTES = 1 << 21, N_MAPPED = 300, PAGE_BYTES = 4096 };

/* Static, because allocations between the reads would change the map. */
static char text[TEXT_BYTES], expected[TEXT_BYTES], bytes[TEXT_BYTES];
static size_t lengths[TEXT_BYTES]; /* of each read */

static size_t read_whole(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t n_text = 0;
	ssize_t n;

	assert_true(fd >= 0);
	while ((n = read(fd, text + n_text, TEXT_BYTES - 1 - n_text)) > 0)
		n_text += (size_t)n;
	text[n_text] = '\0';
	close(fd);
	return n_text;
}

/* Each read returns as many bytes as on Linux, with equal content except for changing figures of smaps. All reads of
 * the file come first, because map_file_read() allocates. */
static void reads_as_linux(const char *path, size_t n_bytes, uint64_t from, bool is_stable)
{
	struct map_file file = {0};
	size_t n_text = read_whole(path), n_reads = 0, n_expected = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	assert_true(n_text > 2 * PAGE_BYTES && n_text < TEXT_BYTES - n_bytes);
	if (from)
		assert_int_equal(lseek(fd, (off_t)from, SEEK_SET), from);
	do {
		n = read(fd, expected + n_expected, n_bytes);
		assert_true(n >= 0);
		n_expected += (size_t)n;
		lengths[n_reads++] = (size_t)n;
	} while (n > 0);
	close(fd);
	if (from)
		map_file_seek(&file, text, from);
	n_expected = 0;
	for (size_t i = 0; i < n_reads; i++) {
		assert_int_equal(map_file_read(&file, text, bytes, n_bytes), lengths[i]);
		assert_true(!is_stable || memcmp(bytes, expected + n_expected, lengths[i]) == 0);
		n_expected += lengths[i];
	}
	assert_int_equal(file.position, n_text);
	map_file_deinit(&file);
}

static void it_reads_as_linux_does(void **state)
{
	static const size_t sizes[] = {1, 63, 64, 100, 1000, 1024, 2048, 4000, 4095, 4096, 4097, 5000, 8192, 100000};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		reads_as_linux("/proc/self/maps", sizes[i], 0, true);
		reads_as_linux("/proc/self/maps", sizes[i], 777, true);
		reads_as_linux("/proc/self/maps", sizes[i], 4096, true);
		reads_as_linux("/proc/self/smaps", sizes[i], 0, false);
	}
}

/* Mappings after the bytes that were read appear in their current state. */
static void it_goes_on_by_address(void **state)
{
	static const char *const before = "1000-2000 a\n3000-4000 b\n", *const now = "1000-1800 a\n1800-2000 c\n"
										     "2800-4000 b\n9000-a000 d\n";
	struct map_file file = {0};

	(void)state;
	assert_int_equal(map_file_read(&file, before, bytes, 12), 12);
	assert_int_equal(map_file_read(&file, now, bytes, 5), 5);
	assert_memory_equal(bytes, "2800-", 5);
	assert_int_equal(map_file_read(&file, before, bytes, 100), 7);
	assert_memory_equal(bytes, "4000 b\n", 7);
	assert_int_equal(map_file_read(&file, now, bytes, 100), 12);
	assert_memory_equal(bytes, "9000-a000 d\n", 12);
	assert_int_equal(map_file_read(&file, now, bytes, 100), 0);
	map_file_deinit(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_reads_as_linux_does),
		cmocka_unit_test(it_goes_on_by_address),
	};

	for (size_t i = 0; i < N_MAPPED; i++)
		mmap(NULL, PAGE_BYTES, i % 2 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
