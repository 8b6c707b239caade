#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <elf.h>
#include <errno.h>
#include <link.h>

#include "helpers/image.h"
#include "elf/private.h"

static void assert_refused(const void *bytes, size_t n_bytes, const char *sentence)
{
	struct error err = {0};
	struct memory_file file;
	char expected[256];

	memory_file_create(&file, bytes, n_bytes);
	snprintf(expected, sizeof(expected), "%s %s", file.path, sentence);
	assert_null(elf_file_open(file.path, &err));
	assert_int_equal(err.kind, ERROR_FORMAT);
	assert_int_equal(strncmp(err.text, expected, strlen(expected)), 0);
	close(file.fd);
}

static void test_layout(void **state)
{
	struct error err = {0};
	struct elf_file *file = elf_file_open(HELPERS_DIR "/notes", &err);
	const struct elf_segment *segments;
	bool has_code = false;
	size_t n_segments;

	(void)state;
	assert_non_null(file);
	assert_int_equal(elf_file_entry(file), 0x401000);
	assert_null(elf_file_interpreter(file));
	segments = elf_file_segments(file, &n_segments);
	for (size_t i = 0; i < n_segments; i++) {
		if (!segments[i].executable)
			continue;
		has_code = true;
		assert_int_equal(segments[i].file_va, 0x401000);
		assert_int_equal(segments[i].file_bytes, 15);
		assert_int_equal(segments[i].memory_bytes, 15);
	}
	assert_true(has_code);
	elf_file_close(file);
	elf_file_close(NULL);
}

static void test_interpreter(void **state)
{
	struct error err = {0};
	struct elf_file *file = elf_file_open(HELPERS_DIR "/marked_pie", &err);

	(void)state;
	assert_non_null(file);
	assert_string_equal(elf_file_interpreter(file), "/lib64/ld-linux-x86-64.so.2");
	elf_file_close(file);

	file = elf_file_open(HELPERS_DIR "/marked_static_pie", &err);
	assert_non_null(file);
	assert_null(elf_file_interpreter(file));
	elf_file_close(file);
}

/* Two segments share the page of the file at 0x1000, as with ld -z noseparate-code. */
static void test_bias_of_shared_page(void **state)
{
	struct elf_segment segments[] = {
		{.file_va = 0x0, .offset_bytes = 0x0, .file_bytes = 0x1e00, .memory_bytes = 0x1e00, .executable = true},
		{.file_va = 0x3e00, .offset_bytes = 0x1e00, .file_bytes = 0x2300, .memory_bytes = 0x9000},
		{.file_va = 0x8000, .offset_bytes = 0x5000, .file_bytes = 0, .memory_bytes = 0x1000},
	};
	struct elf_file file = {.segments = segments, .n_segments = 3, .loads_anywhere = true};
	uint64_t bias = 1;

	(void)state;
	assert_true(elf_file_bias(&file, 0x555500000000, 0x0, &bias));
	assert_int_equal(bias, 0x555500000000);
	assert_true(elf_file_bias(&file, 0x555500003000, 0x1000, &bias)); /* the second's first page */
	assert_int_equal(bias, 0x555500000000);
	assert_true(elf_file_bias(&file, 0x555500005000, 0x3000, &bias)); /* split off by RELRO */
	assert_int_equal(bias, 0x555500000000);
	bias = 1;
	assert_false(elf_file_bias(&file, 0x555500007000, 0x5000, &bias));
	assert_int_equal(bias, 1);
	file.loads_anywhere = false;
	assert_true(elf_file_bias(&file, 0x1000, 0x1000, &bias));
	assert_int_equal(bias, 0);
}

static int record_base(struct dl_phdr_info *info, size_t size, void *context)
{
	const char *const *name = (void *)((char **)context + 1);

	(void)size;
	if (strcmp(info->dlpi_name, *name) != 0)
		return 0;
	*(uint64_t *)context = info->dlpi_addr;
	return 1;
}

/* Every mapping of this program and of its C library. */
static void test_bias_as_the_kernel_maps(void **state)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned n_checked = 0;
	char line[4096];

	(void)state;
	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		unsigned long start, offset;
		char path[4096] = "", self[4096] = "";
		struct error err = {0};
		struct elf_file *file;
		struct {
			uint64_t base;
			const char *name;
		} loaded = {0};
		uint64_t bias;

		if (sscanf(line, "%lx-%*x %*s %lx %*s %*s %4095[^\n]", &start, &offset, path) != 3 || path[0] != '/' ||
		    !(file = elf_file_open(path, &err)))
			continue;
		assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
		loaded.name = strcmp(path, self) == 0 ? "" : path;
		dl_iterate_phdr(record_base, &loaded);
		/* Skips libraries that were opened by another name of the file. */
		if (loaded.base != 0) {
			assert_true(elf_file_bias(file, start, offset, &bias));
			assert_int_equal(bias, loaded.base);
			n_checked++;
		}
		elf_file_close(file);
	}
	fclose(maps);
	assert_true(n_checked >= 4);
}

static void test_unreadable(void **state)
{
	struct error err = {0};

	(void)state;
	assert_null(elf_file_open(HELPERS_DIR "/no such file", &err));
	assert_int_equal(err.kind, ERROR_ENVIRONMENT);
	assert_int_equal(err.errno_value, ENOENT);
	assert_string_equal(err.text, "cannot open " HELPERS_DIR "/no such file: No such file or directory");
	assert_null(elf_file_open(HELPERS_DIR, &err));
	assert_int_equal(err.kind, ERROR_FORMAT);
	assert_string_equal(err.text, HELPERS_DIR " is not an ELF file, nor any regular file");
}

static void test_other_files(void **state)
{
	struct image image;
	Elf64_Ehdr *header;
	Elf32_Ehdr x86 = {
		.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_EXEC,
		.e_machine = EM_386,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(Elf32_Ehdr),
	};
	/* Big-endian: type 2 (ET_EXEC), machine 22 (EM_S390), version 1. */
	Elf64_Ehdr z = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2MSB, EV_CURRENT}};

	(void)state;
	assert_refused("", 0, "is not an ELF file");
	assert_refused("#!/bin/sh\n", 10, "is not an ELF file");
	assert_refused("\177EL", 3, "is not an ELF file");
	assert_refused("!<arch>\n", 8, "is an archive (.a), not a program");
	assert_refused(&x86, sizeof(x86), "is a 32-bit x86 program; itrace traces x86-64 programs");
	x86.e_machine = EM_X86_64;
	assert_refused(&x86, sizeof(x86), "is an x32 program; itrace traces x86-64 programs");
	memcpy(&z.e_type, "\0\2\0\26\0\0\0\1", 8);
	assert_refused(&z, sizeof(z), "is an IBM Z program; itrace traces x86-64 programs");

	image_read(&image, HELPERS_DIR "/notes");
	header = (Elf64_Ehdr *)image.bytes;
	assert_refused(image.bytes, sizeof(*header) - 1, "is not an ELF file");
	assert_refused(image.bytes, sizeof(*header), "is a damaged ELF file: ");
	assert_refused(image.bytes, sizeof(*header) + 2 * sizeof(Elf64_Phdr) - 1, "is a damaged ELF file: ");
	header->e_machine = EM_AARCH64;
	assert_refused(image.bytes, image.n_bytes, "is a 64-bit ARM program; itrace traces x86-64 programs");
	header->e_machine = 65000;
	assert_refused(image.bytes, image.n_bytes, "is a foreign program; itrace traces x86-64 programs");
	header->e_machine = EM_X86_64;
	header->e_type = ET_REL;
	assert_refused(image.bytes, image.n_bytes, "is an object file that was not linked yet");
	header->e_type = ET_CORE;
	assert_refused(image.bytes, image.n_bytes, "is a core dump");
	free(image.bytes);
}

static void test_damaged_segments(void **state)
{
	Elf64_Phdr *program_header;
	struct image image;

	(void)state;
	image_read(&image, HELPERS_DIR "/notes");
	program_header = (Elf64_Phdr *)(image.bytes + sizeof(Elf64_Ehdr));
	program_header->p_memsz = program_header->p_filesz - 1;
	assert_refused(image.bytes, image.n_bytes, "is a damaged ELF file: segment 0 has no valid size");
	program_header->p_memsz = UINT64_MAX;
	assert_refused(image.bytes, image.n_bytes, "is a damaged ELF file: segment 0 has no valid size");
	program_header->p_memsz = program_header->p_filesz;
	program_header->p_offset = INT64_MAX;
	assert_refused(image.bytes, image.n_bytes, "is a damaged ELF file: segment 0 has no valid size");
	((Elf64_Ehdr *)image.bytes)->e_phoff = image.n_bytes - 1;
	assert_refused(image.bytes, image.n_bytes, "is a damaged ELF file: it has nothing to load");
	free(image.bytes);
}

static bool accept_all(const char *symbol, void *context)
{
	assert_true(strlen(symbol) < ELF_MAX_SYMBOL_BYTES);
	++*(unsigned *)context;
	return true;
}

static void read_all(const char *path, unsigned *n_seen)
{
	struct function_list functions;
	struct marker_list markers;
	struct error err = {0};
	struct elf_file *file = elf_file_open(path, &err);
	uint64_t bias;

	if (!file) {
		assert_int_equal(err.kind, ERROR_FORMAT);
		assert_true(strlen(err.text) > strlen(path));
		return;
	}
	elf_file_markers_init(file, &markers);
	elf_file_functions_init(file, accept_all, n_seen, &functions);
	for (size_t i = 0; i < markers.n_markers; i++)
		assert_non_null(elf_file_code_segment(file, markers.markers[i].file_va));
	elf_file_bias(file, 0x10000, 0, &bias);
	elf_file_functions_deinit(&functions);
	elf_file_markers_deinit(&markers);
	elf_file_close(file);
}

static void damage_often(const char *path, unsigned n_copies)
{
	struct image image;
	uint64_t random = 1;
	unsigned n_seen = 0;
	uint8_t *copy;

	image_read(&image, path);
	copy = malloc(image.n_bytes);
	assert_non_null(copy);
	for (unsigned i = 0; i < n_copies; i++) {
		struct memory_file file;
		size_t n_bytes;

		image_damage(&image, copy, &n_bytes, &random);
		memory_file_create(&file, copy, n_bytes);
		read_all(file.path, &n_seen);
		close(file.fd);
	}
	assert_true(n_seen > n_copies); /* most copies are still usable */
	free(copy);
	free(image.bytes);
}

static void test_damaged_files(void **state)
{
	(void)state;
	damage_often(HELPERS_DIR "/notes", 4000);
	damage_often(HELPERS_DIR "/notes_allocated", 2000);
	damage_often(HELPERS_DIR "/marked_pie", 4000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_interpreter),
		cmocka_unit_test(test_bias_of_shared_page),
		cmocka_unit_test(test_bias_as_the_kernel_maps),
		cmocka_unit_test(test_unreadable),
		cmocka_unit_test(test_other_files),
		cmocka_unit_test(test_damaged_segments),
		cmocka_unit_test(test_damaged_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
