/* The signals that itrace receives while it runs a program, and the signal that the program died of. */
#ifndef ITRACE_CLI_TRACING_SIGNALS_H
#define ITRACE_CLI_TRACING_SIGNALS_H

#include <signal.h>

#include "target/interrupts.h"

typedef void signals_handler(int signal, siginfo_t *info, void *context);

/* Catches SIGINT, SIGTERM, SIGQUIT and SIGHUP, or stops catching them if `handler` is NULL. A signal that is ignored,
 * by nohup for example, stays ignored. */
void signals_catch(signals_handler *handler);

/* Catches the signals listed above and counts them as requests to end, from 0, until signals_release_interrupts.
 *
 * After SIGTERM, SIGHUP, or a ^C or ^\ that follows another request within 10 seconds, a launched program has half a
 * second to end. Then must_kill is set; 0.4 s later itrace itself dies of the signal, even while it waits. An attached
 * program is detached at the first request; a second request within 10 seconds starts the half second. */
struct interrupts *signals_catch_interrupts(bool is_launched);
void signals_release_interrupts(void);

/* Returns the signal to send to the program for a caught signal, or 0 if the terminal sent the signal to the program,
 * too. */
int signals_to_pass_on(int signal, const siginfo_t *info);

/* Makes a write to a pipe without a reader (SIGPIPE), or beyond `ulimit -f` (SIGXFSZ), fail instead of killing itrace.
 * Installs an empty handler rather than SIG_IGN, because the program would inherit SIG_IGN. */
void signals_survive(int signal);

/* Dies of the signal, without a core dump. Returns if the signal does not kill. */
void signals_die_of(int signal);

#endif
