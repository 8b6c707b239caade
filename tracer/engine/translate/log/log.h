/* The log: the order of execution, if the plan asks for it (stream, on_event).
 *
 * Each fragment writes a record to a log in the area (AREA_LOG), through a pointer in a register that is stolen from
 * the program. AREA_STOLEN holds the program's value of that register. An instruction that uses the register gets the
 * program's value back. The pointer is in AREA_LOG_POINTER during such an instruction and while the thread is outside
 * translated code. The stolen register is R15 until log_learn() has found the one that the program uses least.
 *
 * A fragment first writes the head of its record, then the addresses as it executes, at fixed offsets from the
 * pointer. When the fragment is done, the pointer advances past the record. A side exit instead writes the head of a
 * shape that ends at the exit.
 *
 * A page without memory follows the log: the thread stops with SIGBUS when the log is full.
 *
 * These functions act on stopped threads. Each does nothing unless there is a log.
 */
#ifndef ITRACE_ENGINE_TRANSLATE_LOG_LOG_H
#define ITRACE_ENGINE_TRANSLATE_LOG_LOG_H

#include "engine/translate/translator.h"

void log_init(struct translator *translator);

/* Forgets the shapes of all records. From now on the register that log_learn() chose is stolen. */
void log_clear(struct log *log);

/* The first function exchanges the program's value of the stolen register for the log pointer, when the thread enters
 * translated code. The second one does the reverse when the thread stops. With has_program_value the register already
 * has the program's value. */
void log_swap_in(const struct translator *translator, const struct task *task, struct target_regs *regs);
void log_swap_out(const struct translator *translator, const struct task *task, struct target_regs *regs,
		  bool has_program_value);

/* Hands the complete records to the plan's stream and on_event, for the task's regions, and empties the log. */
void log_drain(struct translator *translator, struct task *task);

/* Completes the newest record, with the first n_insns of the fragment, and then drains the log. */
void log_drain_partial(struct translator *translator, struct task *task, const struct fragment *fragment,
		       size_t n_insns);

/* As log_drain, but moves the unfinished newest record to the beginning of the log. */
void log_make_room(struct translator *translator, struct task *task);

/* Chooses the register to steal after the next flush, from the counters of the task. No other thread is in translated
 * code. */
void log_learn(struct translator *translator, const struct task *task);

/* Returns true if the thread is about to receive `signal` because the log is full. */
bool log_is_full(const struct translator *translator, const struct task *task, int signal);

#endif
