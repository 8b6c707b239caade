#include "timing/conditions.h"

#include <assert.h>
#include <cpuid.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/array.h"

/* CPUID leaves that hold texts: Intel SDM vol. 2, CPUID; "Hypervisor CPUID Interface", Linux's documentation of KVM. */
#define LEAF_BRAND 0x80000002u
#define LEAF_HYPERVISOR 0x40000000u

/* Keeps letters and single spaces. */
static void clean(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++)
		if (*from >= ' ' && *from < 0x7f && *from != '#' && (*from != ' ' || (to > text && to[-1] != ' ')))
			*to++ = *from;
	while (to > text && to[-1] == ' ')
		to--;
	*to = '\0';
}

static void read_brand(char brand[64])
{
	unsigned int words[12] = {0};

	for (unsigned int i = 0; i < 3; i++)
		__get_cpuid(LEAF_BRAND + i, &words[4 * i], &words[4 * i + 1], &words[4 * i + 2], &words[4 * i + 3]);
	memcpy(brand, words, sizeof(words));
	brand[sizeof(words)] = '\0';
	clean(brand);
	if (!*brand)
		strcpy(brand, "unknown CPU");
}

static char *describe_hypervisor(void)
{
	unsigned int eax, ebx, ecx, edx, words[4] = {0};

	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & 1u << 31))
		return xstrdup("no hypervisor");
	__cpuid(LEAF_HYPERVISOR, eax, words[0], words[1], words[2]);
	clean((char *)words);
	return xasprintf("hypervisor: %s", *(char *)words ? (char *)words : "does not tell its name");
}

/* Returns the value of a key of /proc/cpuinfo; "" if there is none. The caller frees it. */
static char *read_cpuinfo(const char *key)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[512], *value = NULL;

	while (file && !value && fgets(line, sizeof(line), file)) {
		char *colon = strchr(line, ':');

		if (colon && strncmp(line, key, strlen(key)) == 0) {
			clean(colon + 1);
			value = xstrdup(colon[1] == ' ' ? colon + 2 : colon + 1);
		}
	}
	if (file)
		fclose(file);
	return value ? value : xstrdup("");
}

void conditions_add(struct conditions *conditions, char *line)
{
	assert(conditions->n_lines < MAX_CONDITIONS);
	conditions->lines[conditions->n_lines++] = line;
}

void conditions_init(struct conditions *conditions, const struct clock *clock)
{
	char *family = read_cpuinfo("cpu family"), *model = read_cpuinfo("model\t"),
	     *stepping = read_cpuinfo("stepping"), *microcode = read_cpuinfo("microcode");
	struct utsname system;

	*conditions = (struct conditions){.clock_mhz = clock_core_mhz(clock)};
	read_brand(conditions->cpu);
	conditions_add(conditions, xasprintf("%s, family %s, model %s, stepping %s, microcode %s", conditions->cpu,
					     family, model, stepping, microcode));
	conditions_add(conditions, describe_hypervisor());
	if (uname(&system) == 0)
		conditions_add(conditions, xasprintf("%.60s %.60s", system.sysname, system.release));
	conditions_add(conditions, xasprintf("core clock: %u MHz at the begin", conditions->clock_mhz));
	free(family);
	free(model);
	free(stepping);
	free(microcode);
}

void conditions_deinit(struct conditions *conditions)
{
	for (size_t i = 0; i < conditions->n_lines; i++)
		free(conditions->lines[i]);
}
