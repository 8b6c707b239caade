#include "engine/threads/rseq.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* The four bytes in front of each abort handler on x86 (glibc's sys/rseq.h, RSEQ_SIG). They distinguish a descriptor
 * from other data. */
#define SIGNATURE UINT32_C(0x53053053)

/* Linux' struct rseq_cs, which is aligned to its size. */
struct descriptor {
	uint32_t version, flags;
	uint64_t start_va, n_bytes, abort_va;
};

enum { SECTION_BYTES_MAX = 1 << 16 };

void rseq_sections_deinit(struct rseq_sections *sections)
{
	free(sections->sections);
	free(sections->named);
	*sections = (struct rseq_sections){0};
}

static uint64_t last_32_bits(const struct insn *insn)
{
	int32_t value;

	memcpy(&value, insn->bytes + insn->length - sizeof(value), sizeof(value));
	return (uint64_t)(int64_t)value;
}

/* Returns the address that the instruction names: LEA of a RIP-relative operand, or MOV of an immediate to a register
 * or memory. 0: another instruction. */
static uint64_t named_address(uint64_t va, const struct insn *insn)
{
	const uint8_t *opcode = insn->bytes;
	size_t length = insn->length;
	uint64_t value;

	if (length > 6 && *opcode == 0x64) { /* the prefix FS */
		opcode++;
		length--;
	}
	if (length > 5 && (*opcode & 0xf0) == 0x40) { /* a REX prefix */
		opcode++;
		length--;
	}
	if (length == 6 && opcode[0] == 0x8d && (opcode[1] & 0xc7) == 0x05)
		return va + insn->length + last_32_bits(insn);
	if (length == 5 && (opcode[0] & 0xf8) == 0xb8)
		return (uint32_t)last_32_bits(insn);
	if (length >= 6 && opcode[0] == 0xc7)
		return last_32_bits(insn);
	if (length == 9 && (opcode[0] & 0xf8) == 0xb8) {
		memcpy(&value, opcode + 1, sizeof(value));
		return value;
	}
	return 0;
}

void rseq_sections_note(struct rseq_sections *sections, uint64_t va, const struct insn *insn)
{
	uint64_t descriptor_va = named_address(va, insn);

	if (descriptor_va && descriptor_va % sizeof(struct descriptor) == 0)
		*ARRAY_ADD(sections, named) = descriptor_va;
}

static bool is_descriptor(const struct process *process, const struct descriptor *descriptor)
{
	uint32_t signature;

	if (descriptor->version || !descriptor->n_bytes || descriptor->n_bytes > SECTION_BYTES_MAX ||
	    descriptor->abort_va - descriptor->start_va < descriptor->n_bytes)
		return false;
	return process_read(process, descriptor->abort_va - sizeof(signature), &signature, sizeof(signature)) ==
		       sizeof(signature) &&
	       signature == SIGNATURE;
}

static void add_section(struct rseq_sections *sections, uint64_t descriptor_va, const struct descriptor *found)
{
	const struct rseq_section section = {.descriptor_va = descriptor_va,
					     .start_va = found->start_va,
					     .end_va = found->start_va + found->n_bytes,
					     .abort_va = found->abort_va};

	for (size_t i = 0; i < sections->n_sections; i++)
		if (memcmp(&sections->sections[i], &section, sizeof(section)) == 0)
			return;
	*ARRAY_ADD(sections, sections) = section;
}

void rseq_sections_look(struct rseq_sections *sections, const struct process *process)
{
	enum { AT_ONCE = 64 };
	struct descriptor found[AT_ONCE];
	bool are_read[AT_ONCE];

	for (size_t i = 0; i < sections->n_named; i += AT_ONCE) {
		size_t n = sections->n_named - i < AT_ONCE ? sections->n_named - i : AT_ONCE;

		process_read_all(process, &sections->named[i], n, found, sizeof(found[0]), are_read);
		for (size_t j = 0; j < n; j++)
			if (are_read[j] && is_descriptor(process, &found[j]))
				add_section(sections, sections->named[i + j], &found[j]);
	}
	sections->n_named = 0;
}

const struct rseq_section *rseq_sections_find(const struct rseq_sections *sections, uint64_t va)
{
	/* Starts with the newest: other code may have replaced that of an older section. */
	for (size_t i = sections->n_sections; i-- > 0;)
		if (va - sections->sections[i].start_va < sections->sections[i].end_va - sections->sections[i].start_va)
			return &sections->sections[i];
	return NULL;
}
