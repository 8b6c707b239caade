#include "folder_fixture.h"
#include "saved_fixture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/file.h"

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
	assert_true(profile_save_check("a.itrace", &err));
	assert_int_equal(count_files(), 1);
	assert_true(profile_save(&saved, "a.itrace", &err));
	assert_int_equal(count_files(), 1);
	assert_int_equal(stat("a.itrace", &status), 0);
	assert_int_equal(status.st_mode & 0777, 0640);
	assert_true(profile_load("a.itrace", &loaded, &err));
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
	assert_false(profile_save_check(path, &err));
	assert_non_null(strstr(err.text, expected));
	err = (struct error){0};
	assert_false(profile_save(&saved, path, &err));
	assert_non_null(strstr(err.text, expected));
	profile_deinit(&saved);
}

static void only_regular_files_are_written(void **state)
{
	(void)state;
	check_not_saved("/dev/full", "no regular file");
	check_not_saved("/nowhere/a.itrace", "No such file");
	check_not_saved("folder/", "no file name");
	assert_int_equal(mkdir("folder", 0755), 0);
	check_not_saved("folder", "no regular file");
	assert_int_equal(symlink("target", "link"), 0);
	check_not_saved("link", "no regular file");
	assert_int_equal(unlink("link"), 0);
	assert_int_equal(rmdir("folder"), 0);
	assert_int_equal(count_files(), 0);
}

/* As on a full disk: no file may grow. */
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
	is_saved = profile_save(&saved, "a.itrace", &err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &former), 0);
	assert_false(is_saved);
	assert_int_equal(err.errno_value, EFBIG);
	assert_int_equal(count_files(), 1);
	assert_false(profile_load("a.itrace", &(struct profile){0}, &err));
	assert_string_equal(err.text, "a.itrace: no saved profile; 'itrace record' makes them");
	profile_deinit(&saved);
	assert_int_equal(unlink("a.itrace"), 0);
}

static void check_not_loaded(const void *bytes, size_t n_bytes, const char *expected)
{
	struct profile untouched = {.wall_ns = 42};
	struct error err = {0};

	assert_false(format_load_bytes(bytes, n_bytes, "x", &untouched, &err));
	assert_int_equal(err.kind, ERROR_FORMAT);
	assert_int_equal(untouched.wall_ns, 42);
	if (expected)
		assert_string_equal(err.text, expected);
}

static void damaged_files_are_refused(void **state)
{
	struct byte_writer file = {0}, cut = {0};
	struct profile saved;
	struct error err = {0};

	(void)state;
	make_saved_profile(&saved);
	assert_true(format_save_bytes(&saved, "x", &file, &err));
	for (size_t n = 0; n < file.n_bytes; n++) {
		bytes_put_raw(&cut, file.bytes, n);
		check_not_loaded(cut.bytes, n, NULL);
		free(cut.bytes);
		cut = (struct byte_writer){0};
	}
	for (size_t i = 0; i < 8 * file.n_bytes; i++) {
		file.bytes[i / 8] ^= (uint8_t)(1u << i % 8);
		check_not_loaded(file.bytes, file.n_bytes, NULL);
		file.bytes[i / 8] ^= (uint8_t)(1u << i % 8);
	}
	bytes_put_raw(&file, "", 1);
	check_not_loaded(file.bytes, file.n_bytes,
			 "x: a damaged profile: it was cut short, or changed since it was written");
	profile_deinit(&saved);
	free(file.bytes);
}

static void other_files_are_told_apart(void **state)
{
	struct error err = {0};
	struct profile profile;

	(void)state;
	check_not_loaded("", 0, "x: no saved profile; 'itrace record' makes them");
	check_not_loaded("\x7f"
			 "ELF",
			 4, "x: no saved profile; 'itrace record' makes them");
	check_not_loaded("\x89ITRACE\x03", 8,
			 "x: version 3 of the format, which is newer than this itrace: it reads version 2");
	check_not_loaded("\x89ITRACE\x01", 8,
			 "x: version 1 of the format, which no release of itrace wrote; this one reads version 2");
	check_not_loaded("\x89ITR", 4, "x: a damaged profile: it ends in its first bytes");
	check_not_loaded("\x89ITRACE\x02", 8, "x: a damaged profile: it is cut short");
	assert_false(profile_load("nowhere", &profile, &err));
	assert_string_equal(err.text, "cannot open nowhere: No such file or directory");
	assert_false(profile_load(".", &profile, &err));
	assert_string_equal(err.text, ".: no saved profile, nor any regular file");
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_false(profile_load("fifo", &profile, &err));
	assert_string_equal(err.text, "fifo: no saved profile, nor any regular file");
}

/* All of Debian's `true`, as it was saved when version 2 of the format was new, with what was known of it then. A change of what
 * numbers are predicted from would make it unreadable, and takes a new version. */
static void a_file_of_version_2_is_read(void **state)
{
	const struct profile_region *region;
	uint64_t n_transfers = 0, lines = 0;
	struct error err = {0};
	struct profile profile;

	(void)state;
	assert_true(profile_load(SAVED_DIR "/true.saved", &profile, &err));
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
	assert_int_equal(region->n_edges, 172);
	for (size_t i = 0; i < region->n_edges; i++)
		n_transfers += region->edges[i].count;
	assert_int_equal(n_transfers, 225);
	assert_int_equal(region->n_contexts, 50);
	profile_deinit(&profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_replaced_as_a_whole), cmocka_unit_test(only_regular_files_are_written),
		cmocka_unit_test(nothing_half_written_is_left),	 cmocka_unit_test(damaged_files_are_refused),
		cmocka_unit_test(other_files_are_told_apart),	 cmocka_unit_test(a_file_of_version_2_is_read),
	};

	return cmocka_run_group_tests(tests, enter_folder, remove_folder);
}
