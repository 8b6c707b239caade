#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <elf.h>

#include "base/array.h"
#include "helpers/image.h"
#include "elf/private.h"

struct expected_marker {
	uint64_t file_va;
	enum marker_kind kind;
	const char *region;
};

static void markers_of(const char *path, struct marker_list *list)
{
	struct error err = {0};
	struct elf_file *file = elf_file_open(path, &err);

	assert_non_null(file);
	elf_file_markers_init(file, list);
	elf_file_close(file);
}

static void assert_markers(const struct marker_list *list, const struct expected_marker *expected, size_t n_expected)
{
	assert_int_equal(list->n_markers, n_expected);
	for (size_t i = 0; i < n_expected; i++) {
		assert_int_equal(list->markers[i].file_va, expected[i].file_va);
		assert_int_equal(list->markers[i].kind, expected[i].kind);
		assert_string_equal(list->markers[i].region, expected[i].region);
	}
}

/* helpers/notes.S: all well-formed notes, but no others. */
static const char *longest_name(void)
{
	static char name[4090];

	memset(name, 'x', sizeof(name) - 1);
	return name;
}

static void assert_notes(const char *path)
{
	const struct expected_marker expected[] = {
		{0x401000, MARKER_BEGIN, "a"},
		{0x401001, MARKER_END, "a"},
		{0x401002, MARKER_BEGIN, ""},
		{0x401003, MARKER_END, ""},
		{0x401000, MARKER_BEGIN, "x__y %s {a|b}"},
		{0x401002, MARKER_BEGIN, "moved"},
		{0x401003, MARKER_END, "unbased"},
		{0x401001, MARKER_BEGIN, "no arguments"},
		{0x401000, MARKER_SCOPE_BEGIN, "a"},
		{0x401001, MARKER_SCOPE_END, ""},
		{0x401000, MARKER_BEGIN, longest_name()},
	};
	struct marker_list list;

	markers_of(path, &list);
	assert_markers(&list, expected, ARRAY_LENGTH(expected));
	elf_file_markers_deinit(&list);
	assert_int_equal(list.n_markers, 0);
}

static void test_notes(void **state)
{
	(void)state;
	assert_notes(HELPERS_DIR "/notes");
	assert_notes(HELPERS_DIR "/notes_allocated");
}

/* Every link of helpers/marked.c has its four markers in source order. */
static void test_links(void **state)
{
	static const char *const names[] = {"marked_pie",	 "marked_fixed",    "marked_static",
					    "marked_static_pie", "marked_stripped", "helper_marked.so"};
	static const struct expected_marker expected[] = {
		{0, MARKER_BEGIN, "loop"},
		{0, MARKER_END, "loop"},
		{0, MARKER_BEGIN, ""},
		{0, MARKER_END, ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
		char *path = xasprintf("%s/%s", HELPERS_DIR, names[i]);
		struct marker_list list;

		markers_of(path, &list);
		for (size_t j = 0; j + 1 < list.n_markers; j++)
			assert_true(list.markers[j].file_va < list.markers[j + 1].file_va);
		for (size_t j = 0; j < list.n_markers; j++)
			list.markers[j].file_va = 0;
		assert_markers(&list, expected, ARRAY_LENGTH(expected));
		elf_file_markers_deinit(&list);
		free(path);
	}
}

/* Without section headers, notes are found only in a segment, and prelinking is unknown. */
static void test_no_section_headers(void **state)
{
	static const char *const names[] = {"notes", "notes_allocated"};
	static const size_t n_expected[] = {0, 10};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char *path = xasprintf("%s/%s", HELPERS_DIR, names[i]);
		struct marker_list list;
		struct memory_file file;
		struct image image;
		Elf64_Ehdr *header;

		image_read(&image, path);
		header = (Elf64_Ehdr *)image.bytes;
		header->e_shoff = 0;
		header->e_shnum = 0;
		header->e_shstrndx = 0;
		memory_file_create(&file, image.bytes, image.n_bytes);
		markers_of(file.path, &list);
		assert_int_equal(list.n_markers, n_expected[i]);
		for (size_t j = 0; j < list.n_markers; j++)
			assert_string_not_equal(list.markers[j].region, "moved");
		elf_file_markers_deinit(&list);
		close(file.fd);
		free(image.bytes);
		free(path);
	}
}

static void test_compressed_section(void **state)
{
	struct image image;
	struct memory_file file;
	Elf_Scn *section = NULL;
	size_t names_section;
	GElf_Shdr header;
	Elf *elf;

	(void)state;
	image_read(&image, HELPERS_DIR "/notes");
	memory_file_create(&file, image.bytes, image.n_bytes);
	elf_version(EV_CURRENT);
	elf = elf_begin(file.fd, ELF_C_RDWR, NULL);
	assert_non_null(elf);
	elf_flagelf(elf, ELF_C_SET, ELF_F_LAYOUT); /* nothing may move */
	assert_int_equal(elf_getshdrstrndx(elf, &names_section), 0);
	while ((section = elf_nextscn(elf, section))) {
		assert_non_null(gelf_getshdr(section, &header));
		if (strcmp(elf_strptr(elf, names_section, header.sh_name), ".note.stapsdt") == 0)
			assert_int_equal(elf_compress(section, ELFCOMPRESS_ZLIB, 0), 1);
	}
	assert_true(elf_update(elf, ELF_C_WRITE) > 0);
	elf_end(elf);
	assert_notes(file.path);
	close(file.fd);
	free(image.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_links),
		cmocka_unit_test(test_no_section_headers),
		cmocka_unit_test(test_compressed_section),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
