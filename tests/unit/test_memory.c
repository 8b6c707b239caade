#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "target/target.h"

enum { N_WORDS = 200, NOWHERE = 0x10 };

/* Every seventh word, including the first, is unreadable: more words than one read takes, with gaps at different
 * places. */
static void each_of_many_words_is_read_or_not(void **state)
{
	struct process self = {.pid = getpid(), .memory_fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)};
	uint64_t words[N_WORDS], vas[N_WORDS], got[N_WORDS];
	bool are_read[N_WORDS];

	(void)state;
	assert_true(self.memory_fd >= 0);
	for (size_t i = 0; i < N_WORDS; i++) {
		words[i] = i * i + 1;
		vas[i] = i % 7 ? (uint64_t)(uintptr_t)&words[i] : NOWHERE;
	}
	process_read_all(&self, vas, N_WORDS, got, sizeof(got[0]), are_read);
	for (size_t i = 0; i < N_WORDS; i++) {
		assert_int_equal(are_read[i], i % 7 != 0);
		if (are_read[i])
			assert_int_equal(got[i], words[i]);
	}
	close(self.memory_fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_of_many_words_is_read_or_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
