/* The parameters of this machine: answers that are true on every x86-64 CPU of ten years. */
#include "timing/machine/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"

static struct machine machine;

static int measure(void **state)
{
	static struct timed_code code;
	static struct clock clock;
	struct error err = {0};

	(void)state;
	if (!timed_code_init(&code, &err) || !clock_init(&clock, &code, &err) || !clock_pin(&err)) {
		print_message("%s\n", err.text);
		return -1;
	}
	machine_init(&machine, &clock, &code);
	for (size_t i = 0; i < machine_n_steps(); i++)
		machine_measure(&machine, i);
	for (size_t i = 0; i < machine.n_parameters; i++) {
		const struct machine_parameter *parameter = &machine.parameters[i];

		if (parameter->missing)
			print_message("%s: %s\n", parameter->key, parameter->missing);
		else
			print_message("%s = %u, spread %u permille\n", parameter->key, parameter->value,
				      parameter->spread_permille);
	}
	return 0;
}

/* Agner Fog, "The microarchitecture of Intel, AMD and VIA CPUs": Haswell to Golden Cove, Zen to Zen 5. */
static void test_known_ranges(void **state)
{
	static const struct {
		const char *key;
		uint32_t least, most;
	} ranges[] = {
		{"issue_width", 4, 8},
		{"load_latency", 4, 5},
		{"simple_load_latency", 3, 5},
		{"scaled_index_cycles", 0, 1},
		{"store_forward_latency", 2, 8},
		{"vector_store_forward_latency", 3, 12},
		{"failed_forward_cycles", 8, 40},
		{"mispredict_cycles", 8, 30},
		{"stlb_latency", 5, 20},
		{"dtlb_entries", 48, 128},
		{"stlb_entries", 768, 6144},
		{"l1d_kib", 28, 48},
		{"l2_kib", 192, 4096},
		{"l2_latency", 9, 20},
		{"l3_latency", 25, 150},
		{"memory_ns", 40, 1000},
		{"rob", 90, 640},
	};
	size_t n_known = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(ranges); i++) {
		const struct machine_parameter *parameter = machine_find(&machine, ranges[i].key);

		if (!parameter)
			continue;
		n_known++;
		assert_in_range(parameter->value, ranges[i].least, ranges[i].most);
	}
	if (!n_known) {
		print_message("the clock is too noisy\n");
		skip();
	}
}

/* Fails unless the values rise from key to key. Skips those that are not known. */
static void assert_rising(const char *const *keys, size_t n_keys)
{
	uint32_t last = 0;

	for (size_t i = 0; i < n_keys; i++) {
		const struct machine_parameter *parameter = machine_find(&machine, keys[i]);

		if (!parameter)
			continue;
		assert_true(parameter->value > last);
		last = parameter->value;
	}
}

static void test_order(void **state)
{
	static const char *const sizes[] = {"l1d_kib", "l2_kib", "l3_kib"};
	static const char *const latencies[] = {"load_latency", "l2_latency", "l3_latency"};
	static const char *const entries[] = {"dtlb_entries", "stlb_entries"};

	(void)state;
	assert_rising(sizes, ARRAY_LENGTH(sizes));
	assert_rising(latencies, ARRAY_LENGTH(latencies));
	assert_rising(entries, ARRAY_LENGTH(entries));
}

/* Every parameter has either a value with its source, or a reason. */
static void test_reasons(void **state)
{
	(void)state;
	assert_true(machine.n_parameters >= 10);
	for (size_t i = 0; i < machine.n_parameters; i++) {
		const struct machine_parameter *parameter = &machine.parameters[i];

		assert_true(!parameter->how != !parameter->missing);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(parameter->key, machine.parameters[k].key);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_ranges),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_reasons),
	};

	return cmocka_run_group_tests(tests, measure, NULL);
}
