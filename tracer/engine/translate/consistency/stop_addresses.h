/* Addresses of the program that translated code must not execute: breakpoints, restartable sequences, and addresses
 * at which a visit may end. */
#ifndef ITRACE_ENGINE_TRANSLATE_CONSISTENCY_STOP_ADDRESSES_H
#define ITRACE_ENGINE_TRANSLATE_CONSISTENCY_STOP_ADDRESSES_H

#include "engine/translate/translator.h"

void stop_addresses_deinit(struct stop_addresses *stops);
void stop_addresses_clear(struct stop_addresses *stops);

static inline bool stop_addresses_has(const struct translator *translator, uint64_t va)
{
	return va_map_get(&translator->stops.at, va) != VA_MAP_NONE;
}

/* Adds the return addresses at which the task's --function visits end, and at which a pending call of an allocator
 * returns. */
void stop_addresses_add_returns(struct translator *translator, const struct task *task);

/* Retires translated code under new breakpoints. */
void stop_addresses_retire_breakpoints(struct translator *translator);

/* Retires translated code of restartable sequences that became known. */
void stop_addresses_retire_sections(struct translator *translator);

#endif
