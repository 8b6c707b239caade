/* Model files for one test, in a temporary folder that is the whole search path. */
#ifndef ITRACE_TESTS_UNIT_MODEL_FIXTURE_H
#define ITRACE_TESTS_UNIT_MODEL_FIXTURE_H

#include "folder_fixture.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "costmodels/model/model.h"

/* A header of five lines that is complete together with a test's own lines. */
#define HEADER                  \
	"itrace-cost-model 1\n" \
	"name = toy\n"          \
	"title = A toy\n"       \
	"rank = throughput\n"   \
	"source = made up\n"

static int make_folder(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(setenv("ITRACE_MODEL_PATH", folder, 1), 0);
	assert_int_equal(setenv("HOME", folder, 1), 0);
	assert_int_equal(unsetenv("XDG_CONFIG_HOME"), 0);
	return 0;
}

static __attribute__((unused)) void write_bytes(const char *name, const char *bytes, size_t n_bytes)
{
	char *path = xasprintf("%s/%s", folder, name);
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, n_bytes, file), n_bytes);
	assert_int_equal(fclose(file), 0);
	free(path);
}

static __attribute__((unused)) void write_file(const char *name, const char *text)
{
	write_bytes(name, text, strlen(text));
}

/* Loads a file of the folder by its path. */
static __attribute__((unused)) struct model *load_file(const char *name, struct error *err)
{
	char *path = xasprintf("%s/%s", folder, name);
	struct model *model = model_load(path, err);

	free(path);
	return model;
}

/* Loads toy.cost with this text, which must be correct. */
static __attribute__((unused)) struct model *load_text(const char *text)
{
	struct error err = {0};
	struct model *model;

	write_file("toy.cost", text);
	model = load_file("toy.cost", &err);
	if (!model)
		fail_msg("%s", err.text);
	return model;
}

/* Checks that NAME with this text does not load, and checks the message after "FOLDER/". */
static __attribute__((unused)) void check_refused(const char *name, const char *text, const char *message)
{
	struct error err = {0};
	char *expected = xasprintf("%s/%s", folder, message);

	write_file(name, text);
	assert_null(load_file("toy.cost", &err));
	assert_string_equal(err.text, expected);
	assert_int_equal(err.kind, ERROR_FORMAT);
	free(expected);
}

static __attribute__((unused)) void check_figures(const struct cost *cost, enum cost_match match, mcyc_t latency_mcyc,
						  mcyc_t throughput_mcyc)
{
	assert_int_equal(cost->match, match);
	assert_int_equal(cost->latency_mcyc, latency_mcyc);
	assert_int_equal(cost->throughput_mcyc, throughput_mcyc);
}

#endif
