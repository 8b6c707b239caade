/* Reads opcode maps, for a model with some opcodes. The reader fails with a message, or every form has an answer. */
#include "fuzz.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "costmodels/model/model.h"

static const char machine[] =
	"itrace-cost-model 1\nname = toy\ntitle = T\nrank = latency\nsource = s\nmap = toy.map\n"
	"cycle_ns = 200\nunit = us\n[parameters]\nmemory_read = 1\nmemory_write = 0.5\nbyte = 0.381\n"
	"[opcodes]\n0 | NOP | 0\n1 | MOVE | 2\n2 | ADD | ~ 1000000\n3 | SUB | ~ MOVE\n";

static char folder[32];
static char model_path[64], map_path[64];

static void remove_folder(void)
{
	unlink(model_path);
	unlink(map_path);
	rmdir(folder);
}

static void write_bytes(const char *path, const void *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, bytes, n) != (ssize_t)n)
		abort();
	close(fd);
}

/* A map lies next to its model, so both need a folder. */
static void make_folder(void)
{
	strcpy(folder, "/dev/shm/itrace-fuzz-XXXXXX"); /* in memory: ten times as fast */
	if (!mkdtemp(folder)) {
		strcpy(folder, "/tmp/itrace-fuzz-XXXXXX");
		if (!mkdtemp(folder))
			abort();
	}
	snprintf(model_path, sizeof(model_path), "%s/toy.cost", folder);
	snprintf(map_path, sizeof(map_path), "%s/toy.map", folder);
	write_bytes(model_path, machine, strlen(machine));
	atexit(remove_folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const forms[] = {"ADD r64, m64", "PADDB zmm, m512",
					    "REP STOSB m8", "FXSAVE m4096",
					    "NOP",	    ""};
	struct error err = {0};
	struct model *model;

	if (!model_path[0])
		make_folder();
	write_bytes(map_path, data, size);
	model = model_load(model_path, &err);
	if (!model)
		assert(err.kind && err.text[0]);
	for (size_t i = 0; model && i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct cost cost;

		model_lookup(model, forms[i], &cost);
		assert(cost.match == COST_UNKNOWN || (cost.via && cost.latency_mcyc >= 0));
	}
	model_destroy(model);
	return 0;
}
