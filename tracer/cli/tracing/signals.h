/* Signals that itrace gets while it runs a program, and the one that the program died of. */
#ifndef ITRACE_CLI_TRACING_SIGNALS_H
#define ITRACE_CLI_TRACING_SIGNALS_H

#include <signal.h>

typedef void signals_handler(int signal, siginfo_t *info, void *context);

/* Catches what tells itrace to stop: SIGINT, SIGTERM, SIGQUIT and SIGHUP. What was ignored, by nohup say, stays ignored. */
void signals_catch_interrupts(signals_handler *handler);

/* The signal that a caught one is to be passed on as: 0 for one of a terminal, which reaches the program itself, too. */
int signals_to_pass_on(int signal, const siginfo_t *info);

/* Lets a reader of a trace go away without an end to the program. Ignoring the signal would be inherited by it. */
void signals_survive_broken_pipes(void);

/* Lets what is written beyond ulimit -f fail, which is said, instead of ending itrace. The program has that signal as it was. */
void signals_survive_size_limits(void);

/* The program's signal becomes itrace's, without a core dump of itrace's own. Returns where the signal does not kill. */
void signals_die_of(int signal);

#endif
