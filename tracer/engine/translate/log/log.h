/* The log: the order of execution, if the plan asks for it (stream, on_event).
 *
 * Each fragment writes a record to a log in the area (AREA_LOG). The log pointer is in a register that the translator
 * takes from the program: the stolen register. AREA_STOLEN has the program's value of that register. An instruction
 * that uses the register gets the program's value. During such an instruction, and while the thread is outside
 * translated code, the log pointer is in AREA_LOG_POINTER. The stolen register is R15 until log_learn() has found the
 * register that the program uses least.
 *
 * A fragment first writes the head of its record. It writes each address when the instruction executes, at a fixed
 * offset from the pointer. At the fragment's end the pointer advances past the record. A side exit overwrites the
 * head with that of a shape that ends at the exit.
 *
 * A page without memory follows the log. If the log is full, the thread stops with SIGBUS.
 *
 * These functions act on stopped threads. They do nothing if there is no log.
 */
#ifndef ITRACE_ENGINE_TRANSLATE_LOG_LOG_H
#define ITRACE_ENGINE_TRANSLATE_LOG_LOG_H

#include "engine/translate/translator.h"

void log_init(struct translator *translator);

/* Removes the shapes of all records. From now on the stolen register is the one that log_learn() chose. */
void log_clear(struct log *log);

/* log_swap_in() replaces the program's value of the stolen register by the log pointer, when the thread enters
 * translated code. log_swap_out() does the reverse when the thread stops. has_program_value: the register already has
 * the program's value. */
void log_swap_in(const struct translator *translator, const struct task *task, struct target_regs *regs);
void log_swap_out(const struct translator *translator, const struct task *task, struct target_regs *regs,
		  bool has_program_value);

/* Passes the complete records to the plan's stream and on_event, for the task's regions, and empties the log. */
void log_drain(struct translator *translator, struct task *task);

/* Completes the latest record with the first n_insns of the fragment, and then drains the log. */
void log_drain_partial(struct translator *translator, struct task *task, const struct fragment *fragment,
		       size_t n_insns);

/* As log_drain, but keeps the unfinished latest record, at the beginning of the log. */
void log_make_room(struct translator *translator, struct task *task);

/* Chooses the stolen register after the next flush, by the counters of the task. No other thread is in translated
 * code. */
void log_learn(struct translator *translator, const struct task *task);

/* Returns true if the thread is about to receive `signal` because the log is full. */
bool log_is_full(const struct translator *translator, const struct task *task, int signal);

#endif
