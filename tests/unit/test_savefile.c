#include "folder_fixture.h"
#include "saved_fixture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "savefile/frame.h"
#include "savefile/savefile.h"

static size_t count_files(void)
{
	DIR *dir = opendir(".");
	size_t n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2;
}

static void write_bytes(const char *path, const void *bytes, size_t n_bytes)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, n_bytes, file), n_bytes);
	assert_int_equal(fclose(file), 0);
}

static void a_file_is_replaced_as_a_whole(void **state)
{
	struct profile saved, loaded;
	struct error err = {0};
	struct stat status;

	(void)state;
	make_saved_profile(&saved);
	write_bytes("a.itrace", "old", 3);
	umask(027);
	assert_true(savefile_check_path("a.itrace", &err));
	assert_int_equal(count_files(), 1);
	assert_true(savefile_write(&saved, "a.itrace", &err));
	assert_int_equal(count_files(), 1);
	assert_int_equal(stat("a.itrace", &status), 0);
	assert_int_equal(status.st_mode & 0777, 0640);
	assert_true(savefile_read("a.itrace", &loaded, &err));
	check_same_profile(&saved, &loaded);
	profile_deinit(&saved);
	profile_deinit(&loaded);
	assert_int_equal(unlink("a.itrace"), 0);
}

static void check_not_saved(const char *path, const char *expected)
{
	struct profile saved;
	struct error err = {0};

	make_saved_profile(&saved);
	assert_false(savefile_check_path(path, &err));
	assert_non_null(strstr(err.text, expected));
	err = (struct error){0};
	assert_false(savefile_write(&saved, path, &err));
	assert_non_null(strstr(err.text, expected));
	profile_deinit(&saved);
}

static void only_regular_files_are_written(void **state)
{
	(void)state;
	check_not_saved("/dev/full", "not a regular file");
	check_not_saved("/nowhere/a.itrace", "No such file");
	check_not_saved("folder/", "it names no file");
	assert_int_equal(mkdir("folder", 0755), 0);
	check_not_saved("folder", "not a regular file");
	assert_int_equal(symlink("target", "link"), 0);
	check_not_saved("link", "not a regular file");
	assert_int_equal(unlink("link"), 0);
	assert_int_equal(rmdir("folder"), 0);
	assert_int_equal(count_files(), 0);
}

/* No file may grow, as on a full disk. */
static void nothing_half_written_is_left(void **state)
{
	struct rlimit former, none;
	struct profile saved;
	struct error err = {0};
	bool is_saved;

	(void)state;
	make_saved_profile(&saved);
	write_bytes("a.itrace", "old", 3);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &former), 0);
	none = (struct rlimit){16, former.rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	is_saved = savefile_write(&saved, "a.itrace", &err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &former), 0);
	assert_false(is_saved);
	assert_int_equal(err.errno_value, EFBIG);
	assert_int_equal(count_files(), 1);
	assert_false(savefile_read("a.itrace", &(struct profile){0}, &err));
	assert_string_equal(err.text, "a.itrace: not an itrace profile; create one with 'itrace record'");
	profile_deinit(&saved);
	assert_int_equal(unlink("a.itrace"), 0);
}

static void check_not_read(const void *bytes, size_t n_bytes, const char *expected)
{
	struct profile untouched = {.wall_ns = 42};
	struct error err = {0};

	assert_false(savefile_read_bytes(bytes, n_bytes, "x", &untouched, &err));
	assert_int_equal(err.kind, ERROR_FORMAT);
	assert_int_equal(untouched.wall_ns, 42);
	if (expected)
		assert_string_equal(err.text, expected);
}

/* Some bits of a zstd frame have no meaning, and its checksum covers the content only. If a changed file can be read,
 * it must equal the saved profile. Returns true if it was read. */
static bool check_changed(const uint8_t *bytes, size_t n_bytes, const struct profile *saved)
{
	struct profile loaded;
	struct error err = {0};

	if (!savefile_read_bytes(bytes, n_bytes, "x", &loaded, &err))
		return false;
	check_same_profile(saved, &loaded);
	profile_deinit(&loaded);
	return true;
}

static void damaged_files_are_refused(void **state)
{
	struct profile saved;
	struct error err = {0};
	size_t n_bytes, n_read = 0;
	uint8_t *bytes, *copy;

	(void)state;
	make_saved_profile(&saved);
	bytes = savefile_write_bytes(&saved, "x", &n_bytes, &err);
	assert_non_null(bytes);
	for (size_t n = 0; n < n_bytes; n++) {
		/* An exact copy lets a sanitizer detect every read past the end. */
		copy = malloc(n ? n : 1);
		assert_non_null(copy);
		memcpy(copy, bytes, n);
		check_not_read(copy, n, NULL);
		free(copy);
	}
	for (size_t i = 0; i < 8 * n_bytes; i++) {
		bytes[i / 8] ^= (uint8_t)(1u << i % 8);
		n_read += check_changed(bytes, n_bytes, &saved);
		bytes[i / 8] ^= (uint8_t)(1u << i % 8);
	}
	assert_in_range(n_read, 0, n_bytes / 10);
	copy = calloc(1, 2 * n_bytes);
	assert_non_null(copy);
	memcpy(copy, bytes, n_bytes);
	check_not_read(copy, n_bytes + 1, "x: damaged itrace profile: bytes follow its end; record the run again");
	memcpy(copy + n_bytes, bytes + FRAME_MAGIC_BYTES + 1, n_bytes - FRAME_MAGIC_BYTES - 1); /* a second frame */
	check_not_read(copy, 2 * n_bytes - FRAME_MAGIC_BYTES - 1,
		       "x: damaged itrace profile: bytes follow its end; record the run again");
	profile_deinit(&saved);
	free(bytes);
	free(copy);
}

/* A frame that states 2^60 bytes, and one that states no size. */
static void sizes_are_checked_first(void **state)
{
	(void)state;
	check_not_read("\x89ITRACE\x03"
		       "\x28\xb5\x2f\xfd\xe0\0\0\0\0\0\0\0\x10\1\0\0",
		       24, "x: damaged itrace profile: it needs too much memory; record the run again");
	check_not_read(
		"\x89ITRACE\x03"
		"\x28\xb5\x2f\xfd\0\x58\1\0\0",
		17,
		"x: damaged itrace profile: it is cut short or has changed since it was written; record the run again");
}

static void other_files_are_told_apart(void **state)
{
	struct error err = {0};
	struct profile profile;

	(void)state;
	check_not_read("", 0, "x: not an itrace profile; create one with 'itrace record'");
	check_not_read("\x7f"
		       "ELF",
		       4, "x: not an itrace profile; create one with 'itrace record'");
	check_not_read("\x89ITRACE\x04", 8,
		       "x was saved by a newer itrace, in version 4 of the format, and this one reads version 3; "
		       "update itrace, or record the run again with this one");
	check_not_read("\x89ITRACE\x02", 8,
		       "x was saved by an older itrace, in version 2 of the format, and this one reads version 3; "
		       "record it again with 'itrace record'");
	check_not_read("\x89ITR", 4, "x: damaged itrace profile: it is cut short; record the run again");
	check_not_read(
		"\x89ITRACE\x03", 8,
		"x: damaged itrace profile: it is cut short or has changed since it was written; record the run again");
	assert_false(savefile_read("nowhere", &profile, &err));
	assert_string_equal(err.text, "cannot open nowhere: No such file or directory");
	assert_false(savefile_read(".", &profile, &err));
	assert_string_equal(err.text, ".: not an itrace profile: it is not a regular file");
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_false(savefile_read("fifo", &profile, &err));
	assert_string_equal(err.text, "fifo: not an itrace profile: it is not a regular file");
}

/* Debian's `true`, saved when version 3 of the format was new. A change that breaks it needs a new version. */
static void a_file_of_version_3_is_read(void **state)
{
	const struct profile_region *region;
	uint64_t n_transfers = 0, lines = 0;
	struct error err = {0};
	struct profile profile;

	(void)state;
	assert_true(savefile_read(SAVED_DIR "/true.saved", &profile, &err));
	assert_int_equal(profile.n_insns, 1535);
	assert_int_equal(profile.n_functions, 53);
	assert_int_equal(profile.n_inlined, 15);
	assert_int_equal(profile.n_locations, 616);
	for (size_t i = 0; i < profile.n_insns; i++)
		lines += profile.locations[profile.insns[i].location].line;
	assert_int_equal(lines, 453817);
	assert_string_equal(profile.forms[profile.insns[profile.n_insns - 1].form].form.text, "RET");
	region = &profile.regions[0];
	assert_int_equal(profile_region_executions(region), 2087);
	assert_int_equal(region->edges.n_rows, 172);
	for (size_t i = 0; i < region->edges.n_rows; i++)
		n_transfers += region->edges.rows[i].count;
	assert_int_equal(n_transfers, 225);
	assert_int_equal(region->n_contexts, 50);
	profile_deinit(&profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_replaced_as_a_whole), cmocka_unit_test(only_regular_files_are_written),
		cmocka_unit_test(nothing_half_written_is_left),	 cmocka_unit_test(damaged_files_are_refused),
		cmocka_unit_test(sizes_are_checked_first),	 cmocka_unit_test(other_files_are_told_apart),
		cmocka_unit_test(a_file_of_version_3_is_read),
	};

	return cmocka_run_group_tests(tests, enter_folder, remove_folder);
}
