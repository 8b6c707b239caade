/* The shapes of log records (log_reader.h). Each fragment has a shape for all its instructions and one for each side
 * exit. When a signal makes a thread leave the fragment elsewhere, the fragment gets a further shape. */
#ifndef ITRACE_ENGINE_TRANSLATE_LOG_LOG_SHAPES_H
#define ITRACE_ENGINE_TRANSLATE_LOG_LOG_SHAPES_H

#include "engine/translate/translator.h"

void log_shapes_init(struct translator *translator);
void log_shapes_deinit(struct log *log);
void log_shapes_clear(struct log *log);

/* Adds a shape for the first n_insns of a fragment, with n_logged logged addresses. Returns the head of its records. */
uint32_t log_shapes_add(struct translator *translator, uint32_t fragment, size_t n_insns, size_t n_logged);

/* Returns the head of a record for the first n_insns of a fragment. Adds the shape if needed. */
uint32_t log_shapes_partial_head(struct translator *translator, const struct fragment *fragment, size_t n_insns);

/* Returns a head as the 8 bytes that are stored if addresses are wanted. */
static inline uint64_t log_shapes_head_value(uint32_t head)
{
	return (uint64_t)(int32_t)head;
}

static inline size_t log_shapes_record_bytes(const struct translator *translator, uint32_t head)
{
	return translator->log.shapes.source.has_addresses ? 8 + (size_t)(head & LOG_SIZE_MASK) * 8 : 4;
}

#endif
