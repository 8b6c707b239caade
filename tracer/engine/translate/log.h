/* The order of execution, where the plan asks for it (stream, on_instruction): every block writes a word to a log in the area, to which
 * R15 points in translated code. The program's R15 is in AREA_OWN_R15 meanwhile, and in its place for the instructions that use it;
 * then the pointer is in AREA_LOG, as it is while the thread stands outside of translated code.
 *
 * Behind the log there is a page without memory: the thread stops with SIGBUS when the log is full.
 */
#ifndef ITRACE_ENGINE_TRANSLATE_LOG_H
#define ITRACE_ENGINE_TRANSLATE_LOG_H

#include "engine/translate/internal.h"

/* emit_log.c: code. Each does nothing unless there is a log. */

/* The block is about to begin. */
void log_plan_block(struct translator *translator, const struct draft *draft);

/* The block is executed from here on: writes its index. */
void log_emit_block(struct translator *translator, uint32_t block);

/* Logs what the addresses of instruction i are made from, and, behind it, how far it repeated. */
void log_emit_before(struct translator *translator, size_t i);
void log_emit_after(struct translator *translator, size_t i);

/* The program's R15 is in its place for instruction i, if it uses it. */
void log_emit_own(struct translator *translator, size_t i);

/* The pointer is in R15 again. What is emitted up to the next mark is of this kind. */
void log_emit_stolen(struct translator *translator, enum point_kind kind, size_t i);

/* A block that was never executed writes its index in translator->blocks with this, from then on that in profile->blocks. */
#define LOG_FIRST UINT32_C(0x80000000)

/* From the written index, in the code, to logged_va. */
static inline size_t log_written_bytes(const struct translator *translator)
{
	return translator->log.has_addresses ? 4 + 7 : 4 + 4;
}

/* Where addresses are logged, a block writes its slots, and its index in eight bytes behind them: the end of what it writes is what
 * may not fit, and it is written first. */
enum { LOG_SLOT_BYTES = 8 };

/* Then the number of slots is written beside the index, at LOG_SLOTS_SHIFT. */
#define LOG_INDEX_MASK UINT32_C(0x007fffff)
enum { LOG_SLOTS_SHIFT = 23 };

static inline uint32_t log_written_slots(uint32_t written)
{
	return written >> LOG_SLOTS_SHIFT & UINT8_MAX;
}

static inline uint32_t log_record_bytes(size_t n_slots)
{
	return (uint32_t)(n_slots + 1) * LOG_SLOT_BYTES;
}

/* log.c: stopped threads. */

/* Makes the program's registers those for translated code, and the other way round. */
void log_resume(const struct translator *translator, const struct task *task, struct target_regs *regs);
void log_stop(const struct translator *translator, const struct task *task, struct target_regs *regs, bool is_own);

/* What was written since the last time goes to the listeners in the name of the task's regions. */
void log_drain(struct translator *translator, struct task *task);

/* As log_drain, but of the block, which was written last, only n_insns are executed. */
void log_drain_part(struct translator *translator, struct task *task, const struct block *block, size_t n_insns);

/* log_records.c: as log_drain, of n_bytes where addresses are logged too. Of the last block only n_insns are executed if it is `part`. */
void log_tell_records(struct translator *translator, struct task *task, uint8_t *bytes, size_t n_bytes,
		      const struct block *part, size_t n_insns);

/* The block of the profile that the first instructions of a block here are. */
uint32_t log_intern(struct translator *translator, const struct block *block, size_t n_insns);

/* The same of a whole block, which writes that from now on. */
uint32_t log_identify(struct translator *translator, const struct block *block);

/* Hands blocks on to those who listen. */
void log_tell(struct translator *translator, struct task *task, const uint32_t *blocks, size_t n_blocks,
	      const uint64_t *words, size_t n_words);

void log_deinit(struct translator *translator);

/* Whether the thread stopped because the log is full. */
bool log_is_full(const struct translator *translator, const struct task *task, int signal);

#endif
