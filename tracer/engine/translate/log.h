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

/* The program's R15 is in its place for instruction i, if it uses it. */
void log_emit_own(struct translator *translator, size_t i);

/* The pointer is in R15 again. What is emitted up to the next mark is of this kind. */
void log_emit_stolen(struct translator *translator, enum point_kind kind, size_t i);

/* A block that was never executed writes its index in translator->blocks with this, from then on that in profile->blocks. */
#define LOG_FIRST UINT32_C(0x80000000)
enum { LOG_WRITTEN_BYTES = 8 }; /* from the written index, in the code, to logged_va */

/* log.c: stopped threads. */

/* Makes the program's registers those for translated code, and the other way round. */
void log_resume(const struct translator *translator, const struct task *task, struct target_regs *regs);
void log_stop(const struct translator *translator, const struct task *task, struct target_regs *regs, bool is_own);

/* What was written since the last time goes to the listeners in the name of the task's regions. */
void log_drain(struct translator *translator, struct task *task);

/* As log_drain, but of the block, which was written last, only n_insns are executed. */
void log_drain_part(struct translator *translator, struct task *task, const struct block *block, size_t n_insns);

/* Whether the thread stopped because the log is full. */
bool log_is_full(const struct translator *translator, const struct task *task, int signal);

#endif
