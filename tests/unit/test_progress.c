#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/progress.h"

#define SECOND 1000000000ull

/* The output to a user's terminal. */
struct terminal {
	int controller;
	FILE *out;
	char text[1024];
};

static void terminal_open(struct terminal *terminal)
{
	int controller = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);

	assert_true(controller >= 0);
	assert_int_equal(grantpt(controller), 0);
	assert_int_equal(unlockpt(controller), 0);
	terminal->controller = controller;
	terminal->out = fopen(ptsname(controller), "we");
	assert_non_null(terminal->out);
}

static void terminal_close(struct terminal *terminal)
{
	fclose(terminal->out);
	close(terminal->controller);
}

static const char *terminal_read(struct terminal *terminal)
{
	ssize_t n_bytes = read(terminal->controller, terminal->text, sizeof(terminal->text) - 1);

	terminal->text[n_bytes > 0 ? n_bytes : 0] = '\0';
	return terminal->text;
}

static void line_is_rewritten_ten_times_a_second_and_erased(void **state)
{
	struct terminal terminal;
	struct progress progress;

	(void)state;
	terminal_open(&terminal);
	progress_init(&progress, terminal.out);

	progress_update(&progress, "deflate", 50000, SECOND - 1);
	assert_string_equal(terminal_read(&terminal), "");

	progress_update(&progress, "deflate", 52000, SECOND);
	assert_string_equal(terminal_read(&terminal), "\ritrace: 52,000 instructions in deflate, 52,000/s, 1 s\033[K");

	progress_update(&progress, "deflate", 53000, SECOND + SECOND / 10 - 1);
	assert_string_equal(terminal_read(&terminal), "");

	progress_update(&progress, "deflate", 55000, SECOND + SECOND / 10);
	assert_string_equal(terminal_read(&terminal), "\ritrace: 55,000 instructions in deflate, 50,000/s, 1 s\033[K");

	progress_end(&progress);
	assert_string_equal(terminal_read(&terminal), "\r\033[K");
	progress_end(&progress);
	assert_string_equal(terminal_read(&terminal), "");
	terminal_close(&terminal);
}

static void a_file_gets_nothing(void **state)
{
	struct progress progress;
	FILE *file = tmpfile();

	(void)state;
	assert_non_null(file);
	progress_init(&progress, file);
	progress_update(&progress, "deflate", 52000, 2 * SECOND);
	progress_end(&progress);
	assert_int_equal(ftell(file), 0);
	fclose(file);
}

static void a_line_fits_a_terminal_whatever_the_name(void **state)
{
	char text[128];

	(void)state;
	progress_format("deflate", 1203441, 23 * SECOND, text, sizeof(text));
	assert_string_equal(text, "itrace: 1,203,441 instructions in deflate, 52,300/s, 23 s");

	progress_format("void sort<std::vector<int>, std::less<int>>(int*, int*)", 1203441, 23 * SECOND, text,
			sizeof(text));
	assert_string_equal(text, "itrace: 1,203,441 instructions in void sort<std::v..., 52,300/s, 23 s");

	progress_format("void sort<std::vector<int>, std::less<int>>(int*, int*)", 9999999999, 86400 * SECOND, text,
			sizeof(text));
	assert_int_equal(strlen(text), 78);

	/* Cut before the first character that does not fit, and escaped. */
	progress_format("\033[2J1234567890", 7, SECOND, text, sizeof(text));
	assert_string_equal(text, "itrace: 7 instructions in \\x1B[2J123456789..., 7/s, 1 s");
	progress_format("123456789012345\xe2\x82\xac!", 7, SECOND, text, sizeof(text));
	assert_string_equal(text, "itrace: 7 instructions in 123456789012345..., 7/s, 1 s");
}

static void parts_show_the_time_left(void **state)
{
	struct terminal terminal;
	struct progress progress;

	(void)state;
	terminal_open(&terminal);
	progress_init(&progress, terminal.out);

	progress_update_part(&progress, "forms", 0, 1000, SECOND);
	assert_string_equal(terminal_read(&terminal), "");

	progress_update_part(&progress, "forms", 250, 1000, 2 * SECOND);
	assert_string_equal(terminal_read(&terminal), "\ritrace: 250 of 1,000 forms, 6 s left\033[K");
	terminal_close(&terminal);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(line_is_rewritten_ten_times_a_second_and_erased),
		cmocka_unit_test(parts_show_the_time_left),
		cmocka_unit_test(a_file_gets_nothing),
		cmocka_unit_test(a_line_fits_a_terminal_whatever_the_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
