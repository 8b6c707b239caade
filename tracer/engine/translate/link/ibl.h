/* Indirect-branch lookup: the table of targets (link_tables.h). Changes are single stores, as in links.h. */
#ifndef ITRACE_ENGINE_TRANSLATE_LINK_IBL_H
#define ITRACE_ENGINE_TRANSLATE_LINK_IBL_H

#include "engine/translate/translator.h"

/* Divides the table among the kinds of sites. */
void ibl_init(struct ibl *ibl, bool wants_edges);
void ibl_deinit(struct ibl *ibl);
void ibl_clear(struct ibl *ibl);

/* Returns true if each kind has room for n_sites more sites. */
bool ibl_has_room(const struct translator *translator, uint32_t n_sites);

/* Adds a site. Returns its index into AREA_TABLE. */
uint32_t ibl_add_site(struct translator *translator, enum site_kind kind);
enum site_kind ibl_site_kind(const struct ibl *ibl, uint32_t site);

/* Makes indirect branches from a site lead to target.code_va. Sets target.slot, next and older. */
void ibl_add_target(struct translator *translator, uint32_t site, struct ibl_target target);

/* Returns the newest ibl_target for va and a site, removed or not; or NULL. */
const struct ibl_target *ibl_find_target(const struct translator *translator, uint64_t va, uint32_t site);

/* Returns the site of the newest ibl_target for va that is in use, or SITE_NONE. */
uint32_t ibl_newest_site(const struct translator *translator, uint64_t va);

/* Makes indirect branches to va miss from now on. */
void ibl_remove_targets(struct translator *translator, uint64_t va);

/* Fills those parts of the table that are used before their kind has a site. Needs ibl->miss_va. */
void ibl_fill_table(struct translator *translator);

#endif
