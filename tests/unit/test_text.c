#include "folder_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/array.h"
#include "source/text.h"

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

/* Reads the only file of the profile. The caller destroys the text. */
static struct source_text *read_text(const struct profile *profile, const char *source_folder)
{
	return source_texts_create(profile, &source_folder, source_folder ? 1 : 0);
}

static struct profile *make_profile(const char *path)
{
	struct profile *profile = xcalloc(1, sizeof(*profile));

	profile_init(profile);
	profile_intern_file(profile, path);
	return profile;
}

static void free_profile(struct profile *profile)
{
	profile_deinit(profile);
	free(profile);
}

static void a_text_is_split_into_lines(void **state)
{
	struct profile *profile = make_profile("a.c");
	struct source_text *text;

	(void)state;
	write_file("a.c", "one\n\nthree");
	text = read_text(profile, NULL);
	assert_int_equal(text->n_lines, 3);
	assert_string_equal(text->lines[0], "one");
	assert_string_equal(text->lines[1], "");
	assert_string_equal(text->lines[2], "three");
	source_texts_destroy(text, 1);
	write_file("a.c", "");
	text = read_text(profile, NULL);
	assert_int_equal(text->state, SOURCE_SAME);
	assert_int_equal(text->n_lines, 0);
	source_texts_destroy(text, 1);
	source_texts_destroy(NULL, 1);
	free_profile(profile);
}

static void only_regular_files_are_read(void **state)
{
	static const char *const paths[] = {"fifo", "/dev/zero", ".", "nowhere"};

	(void)state;
	assert_int_equal(mkfifo("fifo", 0600), 0);
	for (size_t i = 0; i < ARRAY_LENGTH(paths); i++) {
		struct profile *profile = make_profile(paths[i]);
		struct source_text *text;

		source_texts_record(profile);
		assert_int_equal(profile->files[0].text_hash, 0);
		text = read_text(profile, NULL);
		assert_int_equal(text->state, SOURCE_MISSING);
		assert_null(text->lines);
		source_texts_destroy(text, 1);
		free_profile(profile);
	}
}

static enum source_text_state state_of(const struct profile *profile, const char *source_folder, const char *first_line)
{
	struct source_text *text = read_text(profile, source_folder);
	enum source_text_state state = text->state;

	if (first_line)
		assert_string_equal(text->lines[0], first_line);
	else
		assert_null(text->lines);
	source_texts_destroy(text, 1);
	return state;
}

static void a_text_that_changed_is_told_apart(void **state)
{
	char *path = xasprintf("%s/deep/b.c", folder);
	struct profile *profile = make_profile(path);

	(void)state;
	assert_int_equal(state_of(profile, NULL, NULL), SOURCE_MISSING);
	assert_int_equal(mkdir("deep", 0700), 0);
	write_file(path, "first\n");
	assert_int_equal(state_of(profile, NULL, "first"), SOURCE_SAME);
	source_texts_record(profile);
	assert_int_equal(state_of(profile, NULL, "first"), SOURCE_SAME);
	write_file(path, "secon\n");
	assert_int_equal(state_of(profile, NULL, "secon"), SOURCE_CHANGED_SINCE_RUN);
	/* The right text is preferred in any folder. */
	assert_int_equal(mkdir("kept", 0700), 0);
	write_file("kept/b.c", "first\n");
	assert_int_equal(state_of(profile, "kept", "first"), SOURCE_SAME);
	profile->files[0].is_newer = true;
	profile->files[0].text_hash = 0;
	assert_int_equal(state_of(profile, NULL, "secon"), SOURCE_NEWER);
	free_profile(profile);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_is_split_into_lines),
		cmocka_unit_test(only_regular_files_are_read),
		cmocka_unit_test(a_text_that_changed_is_told_apart),
	};

	return cmocka_run_group_tests(tests, enter_folder, remove_folder);
}
