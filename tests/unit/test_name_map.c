#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sampler/memory_map.h"
#include "source/name_map.h"

static bool read_text(const char *text, struct name_map *map, struct error *err)
{
	char path[] = "/tmp/name-map-XXXXXX";
	int fd = mkstemp(path);
	bool ok;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	ok = name_map_read(map, path, err);
	unlink(path);
	return ok;
}

static void assert_name(const struct name_map *map, uint64_t va, const char *expected)
{
	uint64_t offset;
	const char *name = symbol_table_find(&map->table, va, &offset);

	if (!expected)
		assert_null(name);
	else
		assert_string_equal(name ? name : "(none)", expected);
}

static void nm_names_functions_up_to_the_next(void **state)
{
	struct error err = {0};
	struct name_map map;

	(void)state;
	assert_true(read_text("0000000000003de0 d _DYNAMIC\n"
			      "                 U printf\n"
			      "0000000000001139 t local\n"
			      "0000000000001150 T _ZN3one3twoEi\n"
			      "0000000000004000 B buffer\n",
			      &map, &err));
	assert_false(map.is_run_time);
	assert_name(&map, 0x1138, NULL);
	assert_name(&map, 0x1139, "local");
	assert_name(&map, 0x114f, "local");
	assert_name(&map, 0x1150, "one::two(int)");
	name_map_deinit(&map);
}

static void nm_with_sizes_ends_functions(void **state)
{
	struct error err = {0};
	struct name_map map;

	(void)state;
	assert_true(read_text("0000000000001139 0000000000000004 t local\n"
			      "0000000000001150 0000000000000010 W weak\n"
			      "0000000000002000 0000000000000004 R data\n",
			      &map, &err));
	assert_name(&map, 0x113c, "local");
	assert_name(&map, 0x113d, NULL);
	assert_name(&map, 0x115f, "weak");
	assert_name(&map, 0x1160, NULL);
	assert_name(&map, 0x2000, NULL);
	name_map_deinit(&map);
}

static void a_perf_map_names_code_at_run_time(void **state)
{
	struct error err = {0};
	struct name_map map;

	(void)state;
	assert_true(read_text("7f0000001000 20 LazyCompile:*sum file.js:3\n"
			      "7f0000001020 a t\n"
			      "nonsense\n",
			      &map, &err));
	assert_true(map.is_run_time);
	assert_name(&map, 0x7f000000101f, "LazyCompile:*sum file.js:3");
	assert_name(&map, 0x7f0000001029, "t");
	assert_name(&map, 0x7f000000102a, NULL);
	name_map_deinit(&map);
}

static void a_linker_map_names_symbols_and_sections(void **state)
{
	struct error err = {0};
	struct name_map map;

	(void)state;
	assert_true(read_text("Memory Configuration\n\n"
			      "Linker script and memory map\n\n"
			      "LOAD /tmp/a.o\n"
			      ".text           0x0000000000001050      0x11c\n"
			      " *(.text.unlikely .text.*_unlikely .text.unlikely.*)\n"
			      " .text          0x0000000000001050       0x22 /usr/lib/Scrt1.o\n"
			      "                0x0000000000001050                _start\n"
			      " *fill*         0x0000000000001072        0xe \n"
			      " .text          0x0000000000001080       0x40 /tmp/a.o\n"
			      "                0x0000000000001090                public\n"
			      "                0x00000000000010a0                main\n"
			      " .text.in_its_own_section\n"
			      "                0x00000000000010c0       0x10 /tmp/b.o\n"
			      "                [!provide]                        PROVIDE (__etext = .)\n"
			      "                0x00000000000010d0                . = ALIGN (8)\n"
			      ".data           0x0000000000004000       0x10\n"
			      " .data          0x0000000000004000       0x10 /tmp/a.o\n"
			      "                0x0000000000004000                variable\n",
			      &map, &err));
	assert_false(map.is_run_time);
	assert_name(&map, 0x1050, "_start");
	assert_name(&map, 0x1072, NULL);
	assert_name(&map, 0x1080, "a.o");
	assert_name(&map, 0x108f, "a.o");
	assert_name(&map, 0x1090, "public");
	assert_name(&map, 0x10bf, "main");
	assert_name(&map, 0x10c8, "in_its_own_section");
	assert_name(&map, 0x10d0, NULL);
	assert_name(&map, 0x4000, NULL);
	name_map_deinit(&map);
}

static void assert_linker_map(const char *head)
{
	char text[2048];
	struct error err = {0};
	struct name_map map;

	snprintf(text, sizeof(text),
		 "%s\n"
		 " .text          0x0000000000000000       0x10 /tmp/dropped.o\n"
		 " .text.dropped_function\n"
		 "                0x0000000000000000       0x2b /tmp/a.o\n"
		 " .note.GNU-stack\n"
		 "                0x0000000000000000        0x0 /tmp/a.o\n\n"
		 "Memory Configuration\n\n"
		 "Name             Origin             Length             Attributes\n"
		 "*default*        0x0000000000000000 0xffffffffffffffff\n\n"
		 "Linker script and memory map\n\n"
		 ".text           0x0000000000001050      0x11c\n"
		 " .text          0x0000000000001050       0x22 /tmp/b.o\n"
		 "                0x0000000000001060                kept\n",
		 head);
	assert_true(read_text(text, &map, &err));
	assert_false(map.is_run_time);
	assert_name(&map, 0, NULL);
	assert_name(&map, 0x10, NULL);
	assert_name(&map, 0x1050, "b.o");
	assert_name(&map, 0x1060, "kept");
	name_map_deinit(&map);
}

/* The first three are written by GNU ld 2.40; the fourth stands for a heading in another language. */
static void a_linker_map_is_known_by_each_of_its_heads(void **state)
{
	(void)state;
	assert_linker_map("Discarded input sections\n");
	assert_linker_map("Archive member included to satisfy reference by file (symbol)\n\n"
			  "/usr/lib/libc_nonshared.a(at_quick_exit.oS)\n"
			  "                              /tmp/a.o (at_quick_exit)\n\nDiscarded input sections\n");
	assert_linker_map("As-needed library included to satisfy reference by file (symbol)\n\n"
			  "libc.so.6                     /tmp/a.o (puts)\n\nDiscarded input sections\n");
	assert_linker_map("Ausgelassene Eingabesektionen\n");
	assert_linker_map("");
}

static void what_is_no_map_is_an_error(void **state)
{
	struct name_map map;
	struct error err = {0};

	(void)state;
	assert_false(read_text("hello\nworld\n", &map, &err));
	assert_int_equal(err.kind, ERROR_FORMAT);
	assert_false(read_text("", &map, &err));
	assert_int_equal(err.kind, ERROR_FORMAT);
	assert_false(read_text("0000000000004000 B only_data\n", &map, &err));
	assert_false(name_map_read(&map, "/nonexistent/map", &err));
	assert_int_equal(err.kind, ERROR_USAGE);
}

static void a_later_mapping_hides_an_earlier_one(void **state)
{
	struct memory_map map = {0};
	struct sampling sampling;

	(void)state;
	sampling_init(&sampling);
	assert_null(memory_map_find(&map, 0x1000));
	memory_map_add(&map, &(struct mapping){.start_va = 0x1000, .end_va = 0x5000, .path = "outer"}, &sampling);
	memory_map_add(&map, &(struct mapping){.start_va = 0x2000, .end_va = 0x3000, .path = "inner"}, &sampling);
	assert_int_equal(memory_map_find(&map, 0x1fff)->module, 0);
	assert_int_equal(memory_map_find(&map, 0x2000)->module, 1);
	assert_int_equal(memory_map_find(&map, 0x3000)->module, 0);
	assert_null(memory_map_find(&map, 0x5000));
	memory_map_clear(&map);
	assert_null(memory_map_find(&map, 0x1000));
	memory_map_deinit(&map);
	sampling_deinit(&sampling);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nm_names_functions_up_to_the_next),
		cmocka_unit_test(nm_with_sizes_ends_functions),
		cmocka_unit_test(a_perf_map_names_code_at_run_time),
		cmocka_unit_test(a_linker_map_names_symbols_and_sections),
		cmocka_unit_test(a_linker_map_is_known_by_each_of_its_heads),
		cmocka_unit_test(what_is_no_map_is_an_error),
		cmocka_unit_test(a_later_mapping_hides_an_earlier_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
