#include "engine/translate/consistency/retire.h"

#include "engine/translate/build/liveness.h"
#include "engine/translate/link/ibl.h"

static uint8_t *entry_byte(struct translator *translator, const struct fragment *fragment)
{
	return zone_bytes(cache_find_zone(&translator->cache, fragment->entry_va), fragment->entry_va);
}

/* A store of one byte: another thread executes either the old instruction or the INT3. */
void retire_put_stub(struct translator *translator, struct fragment *fragment)
{
	uint8_t *entry = entry_byte(translator, fragment);
	struct exit_stub stub = {.kind = EXIT_LINK,
				 .va = fragment->va,
				 .r11_in_area = !liveness_r11_in_register_at(translator, fragment->va, false)};

	fragment->entry_byte = *entry;
	fragments_add_exit_stub(&translator->fragments, fragment->entry_va, stub);
	__atomic_store_n(entry, 0xcc, __ATOMIC_RELEASE);
}

/* The exit stub stays known: a thread may already stand behind its INT3, not yet reported. */
void retire_remove_stub(struct translator *translator, struct fragment *fragment)
{
	__atomic_store_n(entry_byte(translator, fragment), fragment->entry_byte, __ATOMIC_RELEASE);
}

/* A fragment that falls through into a retired one would reach its INT3 each time. So it is retired, too. */
void retire_fragment(struct translator *translator, struct fragment *fragment)
{
	for (; !fragment->is_retired; fragment--) {
		fragment->is_retired = true;
		if (!fragment->n_suspended)
			retire_put_stub(translator, fragment);
		ibl_remove_targets(translator, fragment->va);
		if (fragment == translator->fragments.fragments || !fragment[-1].falls_through)
			break;
	}
}

void retire_all(struct translator *translator)
{
	for (uint32_t i = 0; i < translator->fragments.n_fragments; i++)
		if (translator_fragment(translator, i)->n_insns)
			retire_fragment(translator, translator_fragment(translator, i));
	/* Analyses that looked ahead into this code may now be wrong. */
	addresses_forget_flags(&translator->addresses);
}

static bool contains(const struct translator *translator, const struct fragment *fragment, uint64_t va)
{
	const struct fragment_insn *insns = translator_insns(translator, fragment);

	for (size_t i = 0; i < fragment->n_insns; i++)
		if (va - insns[i].va < insns[i].insn.length)
			return true;
	return false;
}

void retire_at(struct translator *translator, uint64_t va)
{
	const struct code_page *page = pages_find(&translator->pages, va);

	for (size_t i = 0; page && i < page->n_fragments; i++) {
		struct fragment *fragment = translator_fragment(translator, page->fragments[i]);

		if (contains(translator, fragment, va))
			retire_fragment(translator, fragment);
	}
}
