/* Code that writes the log (log/log.h). Each function does nothing unless the log is wanted. */
#ifndef ITRACE_ENGINE_TRANSLATE_EMIT_EMIT_LOG_H
#define ITRACE_ENGINE_TRANSLATE_EMIT_EMIT_LOG_H

#include "engine/translate/emit/emitter.h"

#define LOG_NO_HEAD UINT32_MAX

/* A fragment is about to be emitted. log.plan is its plan. */
void emit_log_plan(struct translator *translator, uint32_t fragment);

/* Writes the head of the fragment's record. */
void emit_log_head(struct translator *translator, uint32_t fragment);

/* The first function writes the addresses of instruction i, before it. The second one writes the length of a REP
 * string instruction, after it. */
void emit_log_before(struct translator *translator, size_t i);
void emit_log_after(struct translator *translator, size_t i);

/* Completes the record: the first n_done instructions are executed and only the transfer remains. The code emitted up
 * to the next emit_state() must not fault. */
void emit_log_end(struct translator *translator, uint32_t fragment, size_t n_done);

/* The first function returns the head of the record for executions that leave the fragment by instruction i, or
 * LOG_NO_HEAD. The second one emits the code for those executions. */
uint32_t emit_log_plan_side(struct translator *translator, uint32_t fragment, size_t i);
void emit_log_side(struct translator *translator, uint32_t head);

/* Puts the program's value into the stolen register if instruction i uses that register, or if it is a system call
 * that may read it. */
void emit_log_program_value(struct translator *translator, size_t i);
void emit_log_syscall_argument(struct translator *translator);

/* Puts the log pointer back into the stolen register. `kind` is the state up to the next emit_state(). */
void emit_log_pointer(struct translator *translator, enum state_kind kind, size_t i);

#endif
