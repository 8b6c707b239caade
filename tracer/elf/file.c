#include "elf/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "elf/private.h"

#define PAGE_BYTES 4096ull

static uint64_t page_floor(uint64_t value)
{
	return value & ~(PAGE_BYTES - 1);
}

static const char *machine_name(const GElf_Ehdr *header)
{
	static const struct {
		GElf_Half machine;
		const char *name;
	} machines[] = {
		{EM_386, "a 32-bit x86"}, {EM_X86_64, "an x32"}, /* 64-bit files never get here */
		{EM_ARM, "a 32-bit ARM"}, {EM_AARCH64, "a 64-bit ARM"},	 {EM_RISCV, "a RISC-V"},
		{EM_PPC, "a PowerPC"},	  {EM_PPC64, "a PowerPC"},	 {EM_S390, "an IBM Z"},
		{EM_MIPS, "a MIPS"},	  {EM_LOONGARCH, "a LoongArch"}, {EM_SPARC, "a SPARC"},
		{EM_SPARCV9, "a SPARC"},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(machines); i++)
		if (machines[i].machine == header->e_machine)
			return machines[i].name;
	return "a foreign";
}

static bool check_header(const char *path, Elf *elf, bool is_linked, GElf_Ehdr *header, struct error *err)
{
	if (elf_kind(elf) == ELF_K_AR)
		return error_set(err, ERROR_FORMAT, "%s is an archive (.a), not a program", path);
	if (elf_kind(elf) != ELF_K_ELF)
		return error_set(err, ERROR_FORMAT, "%s is not an ELF file", path);
	if (!gelf_getehdr(elf, header))
		return error_set(err, ERROR_FORMAT, "%s is a damaged ELF file: %s", path, elf_errmsg(-1));
	if (header->e_machine != EM_X86_64 || header->e_ident[EI_CLASS] != ELFCLASS64)
		return error_set(err, ERROR_FORMAT, "%s is %s program; itrace traces x86-64 programs", path,
				 machine_name(header));
	if (header->e_ident[EI_DATA] != ELFDATA2LSB)
		return error_set(err, ERROR_FORMAT, "%s is a damaged ELF file: big-endian, yet for x86-64", path);
	if (header->e_type != ET_EXEC && header->e_type != ET_DYN && (is_linked || header->e_type != ET_REL))
		return error_set(err, ERROR_FORMAT, "%s is %s; itrace traces linked programs", path,
				 header->e_type == ET_REL    ? "an object file that was not linked yet"
				 : header->e_type == ET_CORE ? "a core dump"
							     : "of an ELF type that does not run");
	return true;
}

static void read_interpreter(struct elf_file *file, const GElf_Phdr *header)
{
	char text[ELF_MAX_INTERPRETER_BYTES];
	ssize_t n_bytes;

	if (file->interpreter || header->p_filesz == 0 || header->p_filesz > sizeof(text))
		return;
	n_bytes = pread(file->fd, text, header->p_filesz, (off_t)header->p_offset);
	if (n_bytes > 0 && memchr(text, '\0', (size_t)n_bytes))
		file->interpreter = xstrdup(text);
}

static void read_build_id(struct elf_file *file, const GElf_Phdr *header)
{
	size_t offset = 0, name_offset, content_offset;
	Elf_Data *data;
	GElf_Nhdr note;

	if (file->build_id || header->p_filesz == 0 || header->p_filesz > ELF_MAX_NOTES_BYTES)
		return;
	data = elf_getdata_rawchunk(file->elf, (int64_t)header->p_offset, header->p_filesz,
				    header->p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
	while (data && (offset = gelf_getnote(data, offset, &note, &name_offset, &content_offset)) > 0) {
		const char *bytes = data->d_buf;

		if (note.n_type != NT_GNU_BUILD_ID || note.n_descsz == 0 || note.n_namesz != sizeof(ELF_NOTE_GNU) ||
		    memcmp(bytes + name_offset, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) != 0)
			continue;
		file->build_id = xcalloc(note.n_descsz, 1);
		memcpy(file->build_id, bytes + content_offset, note.n_descsz);
		file->n_build_id = note.n_descsz;
		return;
	}
}

static bool read_segments(const char *path, struct elf_file *file, struct error *err)
{
	size_t n_headers;

	if (elf_getphdrnum(file->elf, &n_headers) < 0)
		return error_set(err, ERROR_FORMAT, "%s is a damaged ELF file: %s", path, elf_errmsg(-1));
	for (size_t i = 0; i < n_headers; i++) {
		struct elf_segment *segment;
		GElf_Phdr header;

		if (!gelf_getphdr(file->elf, (int)i, &header))
			return error_set(err, ERROR_FORMAT, "%s is a damaged ELF file: %s", path, elf_errmsg(-1));
		if (header.p_type == PT_INTERP)
			read_interpreter(file, &header);
		if (header.p_type == PT_NOTE)
			read_build_id(file, &header);
		if (header.p_type != PT_LOAD)
			continue;
		if (header.p_filesz > header.p_memsz || header.p_vaddr > UINT64_MAX - header.p_memsz ||
		    header.p_offset > INT64_MAX - header.p_filesz)
			return error_set(err, ERROR_FORMAT, "%s is a damaged ELF file: segment %zu has no valid size",
					 path, i);
		segment = ARRAY_ADD(file, segments);
		segment->file_va = header.p_vaddr;
		segment->offset_bytes = header.p_offset;
		segment->file_bytes = header.p_filesz;
		segment->memory_bytes = header.p_memsz;
		segment->executable = header.p_flags & PF_X;
	}
	if (file->n_segments == 0)
		return error_set(err, ERROR_FORMAT, "%s is a damaged ELF file: it has nothing to load", path);
	return true;
}

/* Sections of an object file have no addresses yet, so their file offsets serve as addresses. */
static void read_code_sections(struct elf_file *file, uint64_t n_bytes)
{
	struct elf_section section = {0};

	while (elf_section_next(file->elf, SHT_PROGBITS, NULL, &section)) {
		const GElf_Shdr *header = &section.header;

		if ((header->sh_flags & SHF_EXECINSTR) && !(header->sh_flags & SHF_COMPRESSED) &&
		    header->sh_offset <= n_bytes && header->sh_size <= n_bytes - header->sh_offset)
			*ARRAY_ADD(file, segments) = (struct elf_segment){
				.file_va = header->sh_offset,
				.offset_bytes = header->sh_offset,
				.file_bytes = header->sh_size,
				.memory_bytes = header->sh_size,
				.executable = true,
			};
	}
}

static bool read_file(const char *path, bool is_linked, struct elf_file *file, struct error *err)
{
	GElf_Ehdr header;
	struct stat status;

	/* Without O_NONBLOCK, opening a FIFO would wait for a writer. */
	file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (file->fd < 0 || fstat(file->fd, &status) < 0)
		return error_set_errno(err, ERROR_ENVIRONMENT, "cannot open %s", path);
	if (!S_ISREG(status.st_mode))
		return error_set(err, ERROR_FORMAT, "%s is not an ELF file, nor any regular file", path);
	elf_version(EV_CURRENT);
	file->elf = elf_begin(file->fd, ELF_C_READ, NULL);
	if (!file->elf)
		return error_set(err, ERROR_FORMAT, "%s is a damaged ELF file: %s", path, elf_errmsg(-1));
	if (!check_header(path, file->elf, is_linked, &header, err))
		return false;
	file->loads_anywhere = header.e_type == ET_DYN;
	file->entry = header.e_entry;
	file->is_object = header.e_type == ET_REL;
	if (!file->is_object)
		return read_segments(path, file, err);
	read_code_sections(file, (uint64_t)status.st_size);
	return true;
}

static struct elf_file *open_file(const char *path, bool is_linked, struct error *err)
{
	struct elf_file *file = xcalloc(1, sizeof(*file));

	file->fd = -1;
	if (read_file(path, is_linked, file, err))
		return file;
	elf_file_close(file);
	return NULL;
}

struct elf_file *elf_file_open(const char *path, struct error *err)
{
	return open_file(path, true, err);
}

struct elf_file *elf_file_open_any(const char *path, struct error *err)
{
	return open_file(path, false, err);
}

void elf_file_close(struct elf_file *file)
{
	if (!file)
		return;
	elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
	free(file->interpreter);
	free(file->build_id);
	free(file->segments);
	free(file);
}

bool elf_file_is_object(const struct elf_file *file)
{
	return file->is_object;
}

uint64_t elf_file_entry(const struct elf_file *file)
{
	return file->entry;
}

const char *elf_file_interpreter(const struct elf_file *file)
{
	return file->interpreter;
}

const uint8_t *elf_file_build_id(const struct elf_file *file, size_t *n_bytes)
{
	*n_bytes = file->n_build_id;
	return file->build_id;
}

const struct elf_segment *elf_file_segments(const struct elf_file *file, size_t *n_segments)
{
	*n_segments = file->n_segments;
	return file->segments;
}

/* A score of how well a segment fits a mapping; 0 if it does not fit. The kernel maps whole pages, so it maps a page
 * of the file twice if one segment ends and the next one begins there. The segment whose first page is mapped first
 * fits best. A mapping may also be a later part of a segment that mprotect has split (RELRO). */
static int mapping_match(const struct elf_segment *segment, uint64_t map_offset_bytes)
{
	uint64_t start = page_floor(segment->offset_bytes);

	if (segment->file_bytes == 0 || map_offset_bytes < start ||
	    map_offset_bytes >= segment->offset_bytes + segment->file_bytes)
		return 0;
	return 1 + (map_offset_bytes == start) * 2 + segment->executable;
}

bool elf_file_bias(const struct elf_file *file, uint64_t map_start_va, uint64_t map_offset_bytes, uint64_t *bias)
{
	const struct elf_segment *best = NULL;

	for (size_t i = 0; i < file->n_segments; i++) {
		const struct elf_segment *segment = &file->segments[i];
		int match = mapping_match(segment, map_offset_bytes);

		if (match > 0 && (!best || match > mapping_match(best, map_offset_bytes)))
			best = segment;
	}
	if (!best)
		return false;
	*bias = file->loads_anywhere ? map_start_va - (best->file_va - best->offset_bytes + map_offset_bytes) : 0;
	return true;
}

const struct elf_segment *elf_file_code_segment(const struct elf_file *file, uint64_t file_va)
{
	for (size_t i = 0; i < file->n_segments; i++) {
		const struct elf_segment *segment = &file->segments[i];

		if (segment->executable && file_va >= segment->file_va &&
		    file_va - segment->file_va < segment->file_bytes)
			return segment;
	}
	return NULL;
}

Elf_Data *elf_file_section_data(const struct elf_section *section, uint64_t *budget_bytes)
{
	const GElf_Shdr *header = &section->header;
	uint64_t n_bytes = header->sh_size;
	GElf_Chdr compressed;

	if (header->sh_type == SHT_NOBITS)
		return NULL;
	if (header->sh_flags & SHF_COMPRESSED) {
		if (!gelf_getchdr(section->handle, &compressed))
			return NULL;
		n_bytes = compressed.ch_size;
	}
	if (n_bytes > *budget_bytes)
		return NULL;
	if ((header->sh_flags & SHF_COMPRESSED) && elf_compress(section->handle, 0, 0) < 0)
		return NULL;
	*budget_bytes -= n_bytes;
	return elf_getdata(section->handle, NULL);
}
