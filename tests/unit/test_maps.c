/* The memory map of this process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/array.h"
#include "target/target.h"

static void own_mappings_are_found(void **state)
{
	const struct process self = {.pid = getpid(), .memory_fd = -1};
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct error err = {0};
	struct mapping_list list;
	const struct mapping *found;
	struct stat status;
	char program[4096];
	char *shared = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_ptr_not_equal(shared, MAP_FAILED);
	assert_int_equal(munmap(shared + page, page), 0);
	assert_true(process_read_mappings(&self, &list, &err));

	found = mapping_find(&list, (uintptr_t)own_mappings_are_found);
	assert_non_null(found);
	assert_true(found->executable && found->readable && !found->writable && !found->shared);
	assert_true(process_program_path(&self, program, sizeof(program)));
	assert_string_equal(found->path, program);
	assert_int_equal(stat(program, &status), 0);
	assert_int_equal(found->inode, status.st_ino);

	found = mapping_find(&list, (uintptr_t)shared + page - 1);
	assert_non_null(found);
	assert_true(found->shared && found->writable && !found->executable);
	assert_true(found->start_va <= (uintptr_t)shared && found->end_va == (uintptr_t)shared + page);
	assert_null(mapping_find(&list, 0));
	assert_null(mapping_find(&list, UINT64_MAX));

	mapping_list_deinit(&list);
	munmap(shared, page);
}

/* The kernel escapes a newline in a path as "\012", but not a backslash. */
static void paths_are_those_of_the_files(void **state)
{
	static const char *const names[] = {"new\nline\n", "not\\012new"};
	const struct process self = {.pid = getpid(), .memory_fd = -1};
	char folder[] = "/tmp/itrace-test-maps-XXXXXX";
	struct error err = {0};

	(void)state;
	assert_non_null(mkdtemp(folder));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *path = xasprintf("%s/%s", folder, names[i]), *byte;
		struct mapping_list list;
		int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

		assert_true(fd >= 0);
		assert_int_equal(ftruncate(fd, 1), 0);
		byte = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
		assert_ptr_not_equal(byte, MAP_FAILED);
		assert_true(process_read_mappings(&self, &list, &err));
		assert_string_equal(mapping_find(&list, (uintptr_t)byte)->path, path);
		mapping_list_deinit(&list);
		munmap(byte, 1);
		close(fd);
		unlink(path);
		free(path);
	}
	rmdir(folder);
}

/* A read stops at the end of readable memory. */
static void reading_stops_where_memory_ends(void **state)
{
	const struct process self = {.pid = getpid(), .memory_fd = -1};
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t bytes[16];

	(void)state;
	assert_ptr_not_equal(memory, MAP_FAILED);
	memset(memory, 0x5a, page);
	assert_int_equal(munmap(memory + page, page), 0);
	assert_int_equal(process_read(&self, (uintptr_t)memory + page - 16, bytes, 16), 16);
	assert_int_equal(bytes[15], 0x5a);
	assert_int_equal(process_read(&self, (uintptr_t)memory + page, bytes, 16), 0);
	munmap(memory, page);
}

static void no_such_process_is_an_error(void **state)
{
	const struct process nobody = {.pid = 0x7ffffff0, .memory_fd = -1};
	struct error err = {0};
	struct mapping_list list;

	(void)state;
	assert_false(process_read_mappings(&nobody, &list, &err));
	assert_int_equal(err.kind, ERROR_ENVIRONMENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_mappings_are_found),
		cmocka_unit_test(paths_are_those_of_the_files),
		cmocka_unit_test(reading_stops_where_memory_ends),
		cmocka_unit_test(no_such_process_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
