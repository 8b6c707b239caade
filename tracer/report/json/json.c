#include "report/json/json.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/escape.h"

/* A double keeps 15 digits. Larger numbers of milli-cycles are rounded to whole cycles. */
#define MCYC_EXACT_LIMIT 1000000000000000

json_t *json_text(const char *raw)
{
	char *text = raw ? escape_text(raw, ESCAPE_FOR_JSON) : NULL;
	json_t *value = raw ? json_string(text) : json_null();

	assert(value);
	free(text);
	return value;
}

json_t *json_count(uint64_t n)
{
	assert(n <= INT64_MAX);
	return json_integer((json_int_t)n);
}

json_t *json_nonzero(uint32_t number)
{
	return number == 0 ? json_null() : json_count(number);
}

json_t *json_cycles(mcyc_t mcyc)
{
	if (mcyc % MCYC_PER_CYCLE == 0)
		return json_integer(mcyc / MCYC_PER_CYCLE);
	if (mcyc >= MCYC_EXACT_LIMIT)
		return json_integer((mcyc + MCYC_PER_CYCLE / 2) / MCYC_PER_CYCLE);
	return json_real((double)mcyc / MCYC_PER_CYCLE);
}

json_t *json_cycle_sum(struct cycle_sum sum)
{
	return sum.kind == CYCLE_SUM_UNKNOWN ? json_null() : json_cycles(sum.mcyc);
}

json_t *json_module(const struct profile *profile, uint32_t module)
{
	return json_text(module == PROFILE_NONE ? NULL : profile->modules[module].path);
}

json_t *json_function(const struct profile *profile, uint32_t function)
{
	return json_text(function == PROFILE_NONE ? NULL : profile->functions[function].name);
}

json_t *json_path(const struct profile *profile, uint32_t file)
{
	return json_text(file == PROFILE_NONE ? NULL : profile->files[file].path);
}

json_t *json_members(const char *key, ...)
{
	json_t *object = json_object();
	va_list args;

	va_start(args, key);
	for (; key; key = va_arg(args, const char *))
		json_set(object, key, va_arg(args, json_t *));
	va_end(args);
	return object;
}

void json_set(json_t *object, const char *key, json_t *value)
{
	int failed = json_object_set_new(object, key, value);

	assert(!failed);
	(void)failed;
}

void json_add(json_t *array, json_t *value)
{
	int failed = json_array_append_new(array, value);

	assert(!failed);
	(void)failed;
}

const char *json_match_name(enum cost_match match)
{
	static const char *const names[] = {
		[COST_UNKNOWN] = "unknown", [COST_FALLBACK] = "fallback", [COST_EXACT] = "exact"};

	return names[match];
}

void json_write(json_t *root, FILE *out)
{
	json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
	fputc('\n', out);
	json_decref(root);
}
