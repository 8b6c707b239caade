#include "costmodels/model/host.h"

#include <cpuid.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "costmodels/model/model_path.h"

struct intel_cpu {
	const char *name;
	uint8_t models[8]; /* 0: none; no model of family 6 has this number */
};

/* Family 6. Linux 6.12, arch/x86/include/asm/intel-family.h. */
static const struct intel_cpu intel_cpus[] = {
	{"core2", {0x0f, 0x16}},
	{"penryn", {0x17, 0x1d}},
	{"nehalem", {0x1a, 0x1e, 0x1f, 0x2e}},
	{"westmere", {0x25, 0x2c, 0x2f}},
	{"sandybridge", {0x2a, 0x2d}},
	{"ivybridge", {0x3a, 0x3e}},
	{"haswell", {0x3c, 0x3f, 0x45, 0x46}},
	{"broadwell", {0x3d, 0x47, 0x4f, 0x56}},
	{"skylake", {0x4e, 0x5e}},
	{"kabylake", {0x8e, 0x9e}},
	{"cometlake", {0xa5, 0xa6}},
	{"cannonlake", {0x66}},
	{"icelake-server", {0x6a, 0x6c}},
	{"icelake-client", {0x7d, 0x7e}},
	{"tigerlake", {0x8c, 0x8d}},
	{"rocketlake", {0xa7}},
	{"alderlake", {0x97, 0x9a}},
	{"raptorlake", {0xb7, 0xba, 0xbf}},
	{"gracemont", {0xbe}},
	{"meteorlake", {0xaa, 0xac}},
	{"arrowlake", {0xb5, 0xc5, 0xc6}},
	{"lunarlake", {0xbd}},
	{"pantherlake", {0xcc}},
	{"sapphirerapids", {0x8f}},
	{"emeraldrapids", {0xcf}},
	{"graniterapids", {0xad, 0xae}},
	{"sierraforest", {0xaf}},
	{"grandridge", {0xb6}},
	{"clearwaterforest", {0xdd}},
	{"atom", {0x1c, 0x26, 0x27, 0x35, 0x36}},
	{"silvermont", {0x37, 0x4a, 0x4c, 0x4d, 0x5a}},
	{"goldmont", {0x5c, 0x5f}},
	{"goldmont-plus", {0x7a}},
	{"tremont", {0x86, 0x96, 0x9c}},
};

struct amd_cpu {
	unsigned family, first_model, last_model;
	const char *name;
};

/* Linux 6.12, arch/x86/kernel/cpu/amd.c, and AMD's revision guides of these families. */
static const struct amd_cpu amd_cpus[] = {
	{0x15, 0x00, 0x01, "bulldozer"},   {0x15, 0x02, 0x02, "piledriver"}, {0x15, 0x10, 0x1f, "piledriver"},
	{0x15, 0x30, 0x3f, "steamroller"}, {0x15, 0x60, 0x7f, "excavator"},  {0x14, 0x00, 0x0f, "bobcat"},
	{0x16, 0x00, 0x3f, "jaguar"},	   {0x17, 0x00, 0x2f, "zen1"},	     {0x17, 0x30, 0xaf, "zen2"},
	{0x18, 0x00, 0x0f, "zen1"},	   {0x19, 0x00, 0x0f, "zen3"},	     {0x19, 0x20, 0x5f, "zen3"},
	{0x19, 0x10, 0x1f, "zen4"},	   {0x19, 0x60, 0x7f, "zen4"},	     {0x19, 0xa0, 0xaf, "zen4"},
	{0x1a, 0x00, 0x4f, "zen5"},	   {0x1a, 0x60, 0x7f, "zen5"},
};

/* Intel specification updates of the Xeons. */
static const char *find_xeon(unsigned stepping)
{
	if (stepping <= 7)
		return stepping <= 4 ? "skylake-avx512" : "cascadelake";
	return stepping == 10 || stepping == 11 ? "cooperlake" : NULL;
}

static const char *find_intel(const struct host_id *id)
{
	if (id->family == 5 && id->model >= 1 && id->model <= 4)
		return "pentium";
	if (id->family == 6 && id->model == 0x55)
		return find_xeon(id->stepping);
	for (size_t i = 0; i < ARRAY_LENGTH(intel_cpus) && id->family == 6 && id->model; i++)
		if (memchr(intel_cpus[i].models, (int)id->model, sizeof(intel_cpus[i].models)))
			return intel_cpus[i].name;
	return NULL;
}

static const char *find_amd(const struct host_id *id)
{
	for (size_t i = 0; i < ARRAY_LENGTH(amd_cpus); i++)
		if (amd_cpus[i].family == id->family && amd_cpus[i].first_model <= id->model &&
		    id->model <= amd_cpus[i].last_model)
			return amd_cpus[i].name;
	return NULL;
}

/* For a CPU that the tables lack, these functions return the newest known CPU with the same vector instructions. */
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
	known = is_intel ? find_intel(id) : find_amd(id);
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
