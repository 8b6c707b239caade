/* The importer: it refuses with a message, or what it writes is a model that loads. */
#include "fuzz.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "costmodels/model/model.h"
#include "costmodels/uops_info.h"

static void check_model(const char *text, size_t n_bytes)
{
	struct error err = {0};
	struct fuzz_file file;
	struct model *model;

	fuzz_file_open(&file, (const uint8_t *)text, n_bytes);
	model = model_load(file.path, &err);
	if (!model)
		fprintf(stderr, "%s\n%s", err.text, text);
	assert(model);
	model_destroy(model);
	fuzz_file_close(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct uops_info_counts counts;
	struct error err = {0};
	struct fuzz_file file;
	char *text = NULL;
	size_t n_bytes;
	FILE *out = open_memstream(&text, &n_bytes);
	bool ok;

	fuzz_file_open(&file, data, size);
	ok = uops_info_import(file.path, "SKL", "toy", out, &counts, &err);
	fclose(out);
	fuzz_file_close(&file);
	if (ok)
		check_model(text, n_bytes);
	else
		assert(err.kind && err.text[0] && n_bytes == 0);
	free(text);
	return 0;
}
