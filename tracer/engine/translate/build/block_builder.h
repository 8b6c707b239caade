/* Reads program code into block IR. */
#ifndef ITRACE_ENGINE_TRANSLATE_BUILD_BLOCK_BUILDER_H
#define ITRACE_ENGINE_TRANSLATE_BUILD_BLOCK_BUILDER_H

#include "engine/translate/build/block_ir.h"
#include "engine/translate/translator.h"

/* Builds the IR of the block or trace at va, and the plan of its log records (translator->log.plan). Returns false if
 * the first instruction cannot be translated. */
bool block_builder_read(struct translator *translator, uint64_t va, struct block_ir *ir);

#endif
