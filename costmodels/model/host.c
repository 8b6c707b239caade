#include "costmodels/model/host.h"

#include <cpuid.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "costmodels/model/model_path.h"

struct known_cpu {
	unsigned family, first_model, last_model, first_stepping, last_stepping;
	const char *name;
};

#define MODELS(family, first, last, name)        \
	{                                        \
		family, first, last, 0, 15, name \
	}
#define MODEL(family, model, name) MODELS(family, model, model, name)

/* Linux 6.12, arch/x86/include/asm/intel-family.h; steppings of 0x55: Intel specification updates of the Xeons. */
static const struct known_cpu intel_cpus[] = {
	MODEL(6, 0x0f, "core2"),
	MODEL(6, 0x16, "core2"),
	MODEL(6, 0x17, "penryn"),
	MODEL(6, 0x1d, "penryn"),
	MODELS(6, 0x1a, 0x1a, "nehalem"),
	MODELS(6, 0x1e, 0x1f, "nehalem"),
	MODEL(6, 0x2e, "nehalem"),
	MODEL(6, 0x25, "westmere"),
	MODEL(6, 0x2c, "westmere"),
	MODEL(6, 0x2f, "westmere"),
	MODEL(6, 0x2a, "sandybridge"),
	MODEL(6, 0x2d, "sandybridge"),
	MODEL(6, 0x3a, "ivybridge"),
	MODEL(6, 0x3e, "ivybridge"),
	MODEL(6, 0x3c, "haswell"),
	MODEL(6, 0x3f, "haswell"),
	MODELS(6, 0x45, 0x46, "haswell"),
	MODEL(6, 0x3d, "broadwell"),
	MODEL(6, 0x47, "broadwell"),
	MODEL(6, 0x4f, "broadwell"),
	MODEL(6, 0x56, "broadwell"),
	MODEL(6, 0x4e, "skylake"),
	MODEL(6, 0x5e, "skylake"),
	MODEL(6, 0x8e, "kabylake"),
	MODEL(6, 0x9e, "kabylake"),
	MODELS(6, 0xa5, 0xa6, "cometlake"),
	{6, 0x55, 0x55, 0, 4, "skylake-avx512"},
	{6, 0x55, 0x55, 5, 7, "cascadelake"},
	{6, 0x55, 0x55, 10, 11, "cooperlake"},
	MODEL(6, 0x66, "cannonlake"),
	MODEL(6, 0x6a, "icelake-server"),
	MODEL(6, 0x6c, "icelake-server"),
	MODELS(6, 0x7d, 0x7e, "icelake-client"),
	MODELS(6, 0x8c, 0x8d, "tigerlake"),
	MODEL(6, 0xa7, "rocketlake"),
	MODEL(6, 0x97, "alderlake"),
	MODEL(6, 0x9a, "alderlake"),
	MODEL(6, 0xb7, "raptorlake"),
	MODEL(6, 0xba, "raptorlake"),
	MODEL(6, 0xbf, "raptorlake"),
	MODEL(6, 0xbe, "gracemont"),
	MODEL(6, 0xaa, "meteorlake"),
	MODEL(6, 0xac, "meteorlake"),
	MODEL(6, 0xb5, "arrowlake"),
	MODELS(6, 0xc5, 0xc6, "arrowlake"),
	MODEL(6, 0xbd, "lunarlake"),
	MODEL(6, 0xcc, "pantherlake"),
	MODEL(6, 0x8f, "sapphirerapids"),
	MODEL(6, 0xcf, "emeraldrapids"),
	MODELS(6, 0xad, 0xae, "graniterapids"),
	MODEL(6, 0xaf, "sierraforest"),
	MODEL(6, 0xb6, "grandridge"),
	MODEL(6, 0xdd, "clearwaterforest"),
	MODEL(6, 0x1c, "atom"),
	MODELS(6, 0x26, 0x27, "atom"),
	MODELS(6, 0x35, 0x36, "atom"),
	MODEL(6, 0x37, "silvermont"),
	MODEL(6, 0x4a, "silvermont"),
	MODELS(6, 0x4c, 0x4d, "silvermont"),
	MODEL(6, 0x5a, "silvermont"),
	MODEL(6, 0x5c, "goldmont"),
	MODEL(6, 0x5f, "goldmont"),
	MODEL(6, 0x7a, "goldmont-plus"),
	MODEL(6, 0x86, "tremont"),
	MODEL(6, 0x96, "tremont"),
	MODEL(6, 0x9c, "tremont"),
	{5, 0x01, 0x04, 0, 15, "pentium"},
};

/* Linux 6.12, arch/x86/kernel/cpu/amd.c, and AMD's revision guides of these families. */
static const struct known_cpu amd_cpus[] = {
	MODELS(0x15, 0x00, 0x01, "bulldozer"),	MODEL(0x15, 0x02, "piledriver"),
	MODELS(0x15, 0x10, 0x1f, "piledriver"), MODELS(0x15, 0x30, 0x3f, "steamroller"),
	MODELS(0x15, 0x60, 0x7f, "excavator"),	MODELS(0x14, 0x00, 0x0f, "bobcat"),
	MODELS(0x16, 0x00, 0x3f, "jaguar"),	MODELS(0x17, 0x00, 0x2f, "zen1"),
	MODELS(0x17, 0x30, 0xaf, "zen2"),	MODELS(0x18, 0x00, 0x0f, "zen1"),
	MODELS(0x19, 0x00, 0x0f, "zen3"),	MODELS(0x19, 0x20, 0x5f, "zen3"),
	MODELS(0x19, 0x10, 0x1f, "zen4"),	MODELS(0x19, 0x60, 0x7f, "zen4"),
	MODELS(0x19, 0xa0, 0xaf, "zen4"),	MODELS(0x1a, 0x00, 0x4f, "zen5"),
	MODELS(0x1a, 0x60, 0x7f, "zen5"),
};

static const char *find_known(const struct known_cpu *cpus, size_t n, const struct host_id *id)
{
	for (size_t i = 0; i < n; i++) {
		const struct known_cpu *cpu = &cpus[i];

		if (cpu->family == id->family && cpu->first_model <= id->model && id->model <= cpu->last_model &&
		    cpu->first_stepping <= id->stepping && id->stepping <= cpu->last_stepping)
			return cpu->name;
	}
	return NULL;
}

/* For a CPU newer than the tables: the newest CPU that has its vector instructions. */
static const char *nearest_intel(const struct host_id *id)
{
	if (id->has_avx512_fp16)
		return "sapphirerapids";
	if (id->has_avx512)
		return "icelake";
	if (id->has_avx2)
		return "lunarlake";
	return id->has_avx ? "sandybridge" : "silvermont";
}

static const char *nearest_amd(const struct host_id *id)
{
	if (id->family > 0x19)
		return "zen5";
	if (id->family == 0x19)
		return id->has_avx512 ? "zen4" : "zen3";
	if (id->family == 0x17 || id->family == 0x18)
		return "zen2";
	return id->family == 0x15 ? "piledriver" : "jaguar";
}

bool host_find_id(const struct host_id *id, struct host_cpu *out, struct error *err)
{
	bool is_intel = strcmp(id->vendor, "GenuineIntel") == 0;
	bool is_amd = strcmp(id->vendor, "AuthenticAMD") == 0 || strcmp(id->vendor, "HygonGenuine") == 0;
	const char *known;

	if (!is_intel && !is_amd)
		return error_set(err, ERROR_USAGE,
				 "no model for this machine's CPU, whose vendor is '%.12s'; "
				 "choose one with --model ('itrace models' lists them)",
				 id->vendor);
	known = is_intel ? find_known(intel_cpus, ARRAY_LENGTH(intel_cpus), id)
			 : find_known(amd_cpus, ARRAY_LENGTH(amd_cpus), id);
	*out = (struct host_cpu){.is_exact = known != NULL};
	out->model = known ? known : is_intel ? nearest_intel(id) : nearest_amd(id);
	snprintf(out->text, sizeof(out->text), "%s family %u model %u", is_intel ? "Intel" : "AMD", id->family,
		 id->model);
	return true;
}

/* Intel SDM vol. 2, CPUID: leaf 1 family, model and stepping; leaf 7 features. */
static void read_id(struct host_id *id)
{
	unsigned eax, ebx, ecx, edx, extended_family;

	*id = (struct host_id){0};
	if (!__get_cpuid(0, &eax, &ebx, &ecx, &edx))
		return;
	memcpy(id->vendor, &ebx, 4);
	memcpy(id->vendor + 4, &edx, 4);
	memcpy(id->vendor + 8, &ecx, 4);
	if (__get_cpuid(1, &eax, &ebx, &ecx, &edx)) {
		extended_family = eax >> 20 & 0xff;
		id->stepping = eax & 0xf;
		id->family = eax >> 8 & 0xf;
		id->model = eax >> 4 & 0xf;
		if (id->family == 6 || id->family == 15)
			id->model |= eax >> 12 & 0xf0;
		if (id->family == 15)
			id->family += extended_family;
		id->has_avx = ecx & bit_AVX;
	}
	if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) {
		id->has_avx2 = ebx & bit_AVX2;
		id->has_avx512 = ebx & bit_AVX512F;
		id->has_avx512_fp16 = edx & 1u << 23;
	}
}

bool host_find(struct host_cpu *out, struct error *err)
{
	struct host_id id;

	read_id(&id);
	return host_find_id(&id, out, err);
}

bool host_has_model(void)
{
	struct error err = {0};
	struct host_cpu cpu;
	char *path = host_find(&cpu, &err) && cpu.is_exact ? model_path_find(cpu.model, &err) : NULL;
	bool has_model = path;

	free(path);
	return has_model;
}
