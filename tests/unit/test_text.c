#include "folder_fixture.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "commands/source_texts.h"
#include "source/text.h"

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

/* The sum is that of RFC 1321, A.5. */
static void a_text_is_split_into_lines(void **state)
{
	static const uint8_t md5_of_abc[] = {0x90, 0x01, 0x50, 0x98, 0x3c, 0xd2, 0x4f, 0xb0,
					     0xd6, 0x96, 0x3f, 0x7d, 0x28, 0xe1, 0x7f, 0x72};
	struct source_text text;

	(void)state;
	write_file("a.c", "one\n\nthree");
	assert_true(source_text_read("a.c", &text));
	assert_int_equal(text.n_lines, 3);
	assert_string_equal(text.lines[0], "one");
	assert_string_equal(text.lines[1], "");
	assert_string_equal(text.lines[2], "three");
	source_text_deinit(&text);
	write_file("a.c", "");
	assert_true(source_text_read("a.c", &text));
	assert_int_equal(text.n_lines, 0);
	source_text_deinit(&text);
	write_file("a.c", "abc");
	assert_true(source_text_read("a.c", &text));
	assert_memory_equal(text.md5, md5_of_abc, sizeof(md5_of_abc));
	source_text_deinit(&text);
}

static void what_is_no_text_is_left_alone(void **state)
{
	struct source_text text = {.n_lines = 77};

	(void)state;
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_false(source_text_read("fifo", &text));
	assert_false(source_text_read("/dev/zero", &text));
	assert_false(source_text_read(".", &text));
	assert_false(source_text_read("nowhere", &text));
	assert_int_equal(text.n_lines, 77);
}

static enum report_source_state state_of(const struct profile *profile, const char *source_folder,
					 const char *first_line)
{
	enum report_source_state state;
	struct source_texts texts;

	source_texts_init(&texts, profile, &source_folder, source_folder ? 1 : 0);
	state = texts.sources[0].state;
	if (first_line)
		assert_string_equal(texts.sources[0].lines[0], first_line);
	else
		assert_null(texts.sources[0].lines);
	source_texts_deinit(&texts);
	return state;
}

static void a_text_that_changed_is_told_apart(void **state)
{
	char *path = xasprintf("%s/deep/b.c", folder);
	struct profile profile;

	(void)state;
	profile_init(&profile);
	profile_intern_file(&profile, path);
	assert_int_equal(state_of(&profile, NULL, NULL), SOURCE_MISSING);
	assert_int_equal(mkdir("deep", 0700), 0);
	write_file(path, "first\n");
	assert_int_equal(state_of(&profile, NULL, "first"), SOURCE_SAME);
	source_texts_record(&profile);
	assert_int_equal(profile.files[0].text, TEXT_READ);
	write_file(path, "second\n");
	assert_int_equal(state_of(&profile, NULL, "second"), SOURCE_CHANGED_SINCE_RUN);
	/* The right one is preferred wherever it is. */
	assert_int_equal(mkdir("kept", 0700), 0);
	write_file("kept/b.c", "first\n");
	assert_int_equal(state_of(&profile, "kept", "first"), SOURCE_SAME);
	profile.files[0].text = TEXT_COMPILED;
	assert_int_equal(state_of(&profile, NULL, "second"), SOURCE_CHANGED_SINCE_BUILD);
	source_texts_record(&profile);
	assert_int_equal(profile.files[0].text, TEXT_COMPILED);
	profile.files[0].text = TEXT_UNKNOWN;
	profile.files[0].is_newer = true;
	assert_int_equal(state_of(&profile, NULL, "second"), SOURCE_NEWER);
	profile_deinit(&profile);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_is_split_into_lines),
		cmocka_unit_test(what_is_no_text_is_left_alone),
		cmocka_unit_test(a_text_that_changed_is_told_apart),
	};

	return cmocka_run_group_tests(tests, enter_folder, remove_folder);
}
