#include <setjmp.h>
#include <stdarg.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <gelf.h>
#include <gnu/libc-version.h>

#include "base/array.h"
#include "base/path.h"
#include "helpers/image.h"
#include "source/source.h"

#define SYMBOLS HELPERS_DIR "/helper_symbols.so"

enum helper { EXPORTED, HIDDEN, PLAIN_STATIC, AREA, ASM_FIRST, ASM_SECOND, N_HELPERS };

/* The addresses as linked of helpers/symbols.cpp's functions. */
static uint64_t helper_va[N_HELPERS];

static int find_helpers(void **state)
{
	void *library = dlopen(SYMBOLS, RTLD_NOW);
	const void *const *addresses;
	Dl_info info;

	(void)state;
	if (!library || !(addresses = dlsym(library, "helper_addresses")) || !dladdr(addresses, &info))
		return -1;
	for (size_t i = 0; i < N_HELPERS; i++)
		helper_va[i] = (uintptr_t)addresses[i] - (uintptr_t)info.dli_fbase;
	return dlclose(library);
}

static void assert_function(struct source *source, const char *path, uint64_t file_va, const char *expected,
			    uint64_t expected_offset)
{
	uint64_t offset = 77;
	const char *name = source_find_function(source, path, file_va, &offset);

	if (expected) {
		assert_non_null(name);
		assert_string_equal(name, expected);
		assert_int_equal(offset, expected_offset);
	} else {
		assert_null(name);
		assert_int_equal(offset, 77);
	}
}

/* The unwind table lists functions without a symbol. */
static void assert_unnamed(struct source *source, const char *path, uint64_t start_va)
{
	char *name = xasprintf("%s+0x%" PRIx64, path_file_name(path), start_va);

	assert_function(source, path, start_va, name, 0);
	assert_function(source, path, start_va + 2, name, 2);
	free(name);
}

/* The exported function has four names, one of them weak. The shortest of the others is shown. */
static void assert_all_helpers(struct source *source, const char *path)
{
	assert_function(source, path, helper_va[EXPORTED], "helper_alias", 0);
	assert_function(source, path, helper_va[HIDDEN] + 1, "hidden_function(int)", 1);
	assert_function(source, path, helper_va[PLAIN_STATIC], "plain_static", 0);
	assert_function(source, path, helper_va[AREA], "double shapes::area<double>(double, double)", 0);
	assert_function(source, path, helper_va[ASM_FIRST] + 2, "asm_first", 2);
	assert_function(source, path, helper_va[ASM_SECOND], "asm_second", 0);
	assert_function(source, path, helper_va[ASM_SECOND] + 1, "asm_second", 1);
	assert_function(source, path, helper_va[ASM_SECOND] + 2, NULL, 0);
	assert_function(source, path, 0, NULL, 0);
	assert_function(source, path, UINT64_MAX, NULL, 0);
}

static void test_symbols(void **state)
{
	struct source *source = source_create();

	(void)state;
	assert_all_helpers(source, SYMBOLS);
	assert_all_helpers(source, SYMBOLS);
	source_destroy(source);
	source_destroy(NULL);
}

static void test_stripped(void **state)
{
	static const char path[] = HELPERS_DIR "/stripped_symbols.so";
	struct source *source = source_create();

	(void)state;
	assert_function(source, path, helper_va[EXPORTED], "helper_alias", 0);
	assert_unnamed(source, path, helper_va[HIDDEN]);
	assert_unnamed(source, path, helper_va[PLAIN_STATIC]);
	assert_function(source, path, helper_va[ASM_FIRST], NULL, 0);
	source_destroy(source);
}

/* .gnu_debugdata ("mini debug info") contains symbols that .dynsym lacks. */
static void test_compressed_symbols(void **state)
{
	static const char path[] = HELPERS_DIR "/mini_symbols.so";
	struct source *source = source_create();

	(void)state;
	assert_function(source, path, helper_va[EXPORTED], "helper_alias", 0);
	assert_function(source, path, helper_va[HIDDEN] + 1, "hidden_function(int)", 1);
	assert_function(source, path, helper_va[PLAIN_STATIC], "plain_static", 0);
	source_destroy(source);
}

static void write_file(const char *path, const struct image *image)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(image->bytes, 1, image->n_bytes, file), image->n_bytes);
	assert_int_equal(fclose(file), 0);
}

static void test_debug_link(void **state)
{
	char folder[] = "/tmp/itrace-test-symbols-XXXXXX";
	char *program, *debug, *debug_folder;
	uint8_t *build_id;
	struct image image, debug_image;
	struct source *source = source_create();

	(void)state;
	assert_all_helpers(source, HELPERS_DIR "/linked_symbols.so");
	source_destroy(source);

	/* A debug file of another build next to the program is not used; the right one in .debug is. */
	assert_non_null(mkdtemp(folder));
	program = xasprintf("%s/linked_symbols.so", folder);
	debug = xasprintf("%s/symbols.debug", folder);
	debug_folder = xasprintf("%s/.debug", folder);
	image_read(&image, HELPERS_DIR "/linked_symbols.so");
	image_read(&debug_image, HELPERS_DIR "/symbols.debug");
	write_file(program, &image);
	build_id = memmem(debug_image.bytes, debug_image.n_bytes, "\24\0\0\0\3\0\0\0GNU",
			  12); /* SHA-1, NT_GNU_BUILD_ID */
	assert_non_null(build_id);
	build_id[12] ^= 1;
	write_file(debug, &debug_image);
	source = source_create();
	assert_unnamed(source, program, helper_va[HIDDEN]);
	source_destroy(source);

	assert_int_equal(mkdir(debug_folder, 0700), 0);
	unlink(debug);
	free(debug);
	debug = xasprintf("%s/symbols.debug", debug_folder);
	build_id[12] ^= 1;
	write_file(debug, &debug_image);
	source = source_create();
	assert_all_helpers(source, program);
	source_destroy(source);

	unlink(debug);
	unlink(program);
	rmdir(debug_folder);
	rmdir(folder);
	free(debug);
	free(debug_folder);
	free(program);
	free(image.bytes);
	free(debug_image.bytes);
}

static void test_libc(void **state)
{
	struct source *source = source_create();
	Dl_info libc;
	uint64_t file_va;

	(void)state;
	assert_int_not_equal(dladdr((void *)(uintptr_t)gnu_get_libc_version, &libc), 0);
	file_va = (uintptr_t)gnu_get_libc_version - (uintptr_t)libc.dli_fbase;
	assert_function(source, libc.dli_fname, file_va, "gnu_get_libc_version", 0);
	assert_function(source, libc.dli_fname, file_va + 1, "gnu_get_libc_version", 1);
	source_destroy(source);
}

/* A name stays where it is while other files are read. */
static void test_names_are_kept(void **state)
{
	struct source *source = source_create();
	uint64_t offset;
	const char *name = source_find_function(source, SYMBOLS, helper_va[HIDDEN], &offset);

	(void)state;
	assert_function(source, HELPERS_DIR "/stripped_symbols.so", helper_va[EXPORTED], "helper_alias", 0);
	source_release_lines(source, SYMBOLS);
	assert_string_equal(name, "hidden_function(int)");
	assert_ptr_equal(source_find_function(source, SYMBOLS, helper_va[HIDDEN], &offset), name);
	source_destroy(source);
}

/* Exactly one entry of the procedure linkage table leads to getenv, and the first one leads nowhere. */
static void test_plt(void **state)
{
	struct source *source = source_create();
	int fd = open(SYMBOLS, O_RDONLY | O_CLOEXEC);
	unsigned n_found = 0;
	Elf_Scn *section = NULL;
	size_t names;
	Elf *elf;

	(void)state;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	assert_non_null(elf);
	assert_int_equal(elf_getshdrstrndx(elf, &names), 0);
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		assert_non_null(gelf_getshdr(section, &header));
		if (strcmp(elf_strptr(elf, names, header.sh_name), ".plt") != 0)
			continue;
		assert_function(source, SYMBOLS, header.sh_addr, NULL, 0);
		for (uint64_t va = header.sh_addr; va < header.sh_addr + header.sh_size; va += 16) {
			uint64_t offset;
			const char *name = source_find_function(source, SYMBOLS, va + 5, &offset);

			if (!name || strcmp(name, "getenv@plt") != 0)
				continue;
			assert_int_equal(offset, 5);
			n_found++;
		}
	}
	assert_int_equal(n_found, 1);
	elf_end(elf);
	close(fd);
	source_destroy(source);
}

static void test_unreadable(void **state)
{
	struct source *source = source_create();

	(void)state;
	assert_function(source, HELPERS_DIR "/no such file", 0x1000, NULL, 0);
	assert_function(source, HELPERS_DIR, 0x1000, NULL, 0);
	assert_function(source, HELPERS_DIR "/../test_symbols.p", 0x1000, NULL, 0);
	assert_function(source, "/proc/self/maps", 0x1000, NULL, 0);
	source_destroy(source);
}

static void test_vdso(void **state)
{
	struct source *source = source_create();
	bool is_found = false;

	(void)state;
	if (!getauxval(AT_SYSINFO_EHDR))
		skip();
	for (uint64_t va = 0; va < 0x4000 && !is_found; va++) {
		uint64_t offset;
		const char *name = source_find_function(source, "[vdso]", va, &offset);

		is_found = name && offset == 0 && strcmp(name, "__vdso_clock_gettime") == 0;
	}
	assert_true(is_found);
	source_destroy(source);
}

static void test_damaged_files(void **state)
{
	uint64_t random = 1;
	unsigned n_found = 0;
	struct image image;
	uint8_t *copy;

	(void)state;
	image_read(&image, SYMBOLS);
	copy = malloc(image.n_bytes);
	assert_non_null(copy);
	for (unsigned i = 0; i < 3000; i++) {
		struct source *source = source_create();
		struct memory_file file;
		size_t n_bytes;

		image_damage(&image, copy, &n_bytes, &random);
		memory_file_create(&file, copy, n_bytes);
		for (uint64_t va = 0; va < 0x3000; va += 9) {
			uint64_t offset;
			const char *name = source_find_function(source, file.path, va, &offset);

			assert_true(!name || strlen(name) > 0);
			n_found += name != NULL;
		}
		source_destroy(source);
		close(file.fd);
	}
	assert_true(n_found > 3000);
	free(copy);
	free(image.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symbols),
		cmocka_unit_test(test_stripped),
		cmocka_unit_test(test_compressed_symbols),
		cmocka_unit_test(test_debug_link),
		cmocka_unit_test(test_libc),
		cmocka_unit_test(test_names_are_kept),
		cmocka_unit_test(test_plt),
		cmocka_unit_test(test_unreadable),
		cmocka_unit_test(test_vdso),
		cmocka_unit_test(test_damaged_files),
	};

	return cmocka_run_group_tests(tests, find_helpers, NULL);
}
