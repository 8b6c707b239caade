/* The order of execution, where the plan asks for it (stream, on_instruction): every block writes a record to a log in the area, to which
 * a register points in translated code that we steal from the program. The program's value is in AREA_OWN meanwhile, and in its place for the
 * instructions that use it; then the pointer is in AREA_LOG, as it is while the thread stands outside of translated code. It is R15 until it
 * is known which register the program uses least.
 *
 * A block begins with the record's head, and stores its words as it goes, behind the pointer, which passes the record when the block is done. A
 * block that is left before that by a side writes another head, of a shape that ends there.
 *
 * Behind the log there is a page without memory: the thread stops with SIGBUS when the log is full.
 */
#ifndef ITRACE_ENGINE_TRANSLATE_LOG_LOG_H
#define ITRACE_ENGINE_TRANSLATE_LOG_LOG_H

#include "engine/translate/translator.h"

/* emit_log.c: code. Each does nothing unless there is a log. */

/* The block is about to be emitted; log.plan is of it. */
void log_plan_block(struct translator *translator, uint32_t block);

/* The block is executed from here on: begins its record. */
void log_emit_block(struct translator *translator, uint32_t block);

/* The first n_done instructions of the block are executed, and all that is left is to leave it: ends its record. What is emitted up to the
 * next mark must not fault. */
void log_emit_end(struct translator *translator, uint32_t block, size_t n_done);

enum { LOG_STOLEN_FIRST = 15 }; /* R12 and R11 never are: the one takes a longer encoding, the other one is ours */

#define LOG_NO_HEAD UINT32_MAX

/* The head for those who leave the block with instruction i, or LOG_NO_HEAD, and the code on their way. */
uint32_t log_plan_side(struct translator *translator, uint32_t block, size_t i);
void log_emit_side(struct translator *translator, uint32_t head);

/* Logs the words of instruction i, and, behind it, its length if it is repeated. */
void log_emit_before(struct translator *translator, size_t i);
void log_emit_after(struct translator *translator, size_t i);

/* The program's value is in the stolen register for instruction i, if that uses it; for a system call. */
void log_emit_own(struct translator *translator, size_t i);
void log_emit_own_argument(struct translator *translator);

/* The pointer is there again. What is emitted up to the next mark is of this kind. */
void log_emit_stolen(struct translator *translator, enum point_kind kind, size_t i);

/* log_shapes.c */
void log_init(struct translator *translator);
void log_clear(struct translator *translator);
void log_deinit(struct translator *translator);

/* The head of records for the first instructions of a block. */
uint32_t log_add_shape(struct translator *translator, uint32_t block, size_t n_insns, size_t n_words);
uint32_t log_part_head(struct translator *translator, const struct block *block, size_t n_insns);

/* It is stored with its sign extended to the 8 bytes that it has where there are words. */
static inline uint64_t log_head_value(uint32_t head)
{
	return (uint64_t)(int32_t)head;
}

static inline size_t log_record_bytes(const struct translator *translator, uint32_t head)
{
	return translator->log.shapes.have_words ? 8 + (size_t)(head & STREAM_SIZE_MASK) * 8 : 4;
}

/* log.c: stopped threads. */

/* Makes the program's registers those for translated code, and the other way round. */
void log_resume(const struct translator *translator, const struct task *task, struct target_regs *regs);
void log_stop(const struct translator *translator, const struct task *task, struct target_regs *regs, bool is_own);

/* What was written since the last time goes to the listeners in the name of the task's regions. */
void log_drain(struct translator *translator, struct task *task);

/* The same, and the record begun last, of which n_insns of the block are executed. */
void log_drain_part(struct translator *translator, struct task *task, const struct block *block, size_t n_insns);

/* The same without that record, which goes to the begin of the log. */
void log_make_room(struct translator *translator, struct task *task);

/* Finds out which register is best stolen, from what the task, which is the only one, has counted since the last time; from the next log_clear on
 * it is. */
void log_learn(struct translator *translator, const struct task *task);

/* Whether the thread stopped because the log is full. */
bool log_is_full(const struct translator *translator, const struct task *task, int signal);

#endif
