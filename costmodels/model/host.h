/* Finds the model of this machine's CPU by CPUID. */
#ifndef ITRACE_COSTMODELS_MODEL_HOST_H
#define ITRACE_COSTMODELS_MODEL_HOST_H

#include <stdbool.h>

#include "base/error.h"

struct host_id {
	char vendor[13]; /* "GenuineIntel" */
	unsigned family, model, stepping;
	bool has_avx, has_avx2, has_avx512, has_avx512_fp16;
};

struct host_cpu {
	const char *model; /* a name or alias of a model */
	bool is_exact;	   /* false: the CPU has no model, and this is the most similar CPU of the vendor */
	char text[48];	   /* "AMD family 26 model 2" */
};

/* Returns whether a model of exactly this machine's CPU is installed. */
bool host_has_model(void);

/* Identify this machine's CPU, or the CPU with the given ID. Return false for vendors without any model. */
bool host_find(struct host_cpu *out, struct error *err);
bool host_find_id(const struct host_id *id, struct host_cpu *out, struct error *err);

#endif
