/* The data of emitter.c: what the code emitted next may assume. */
#ifndef ITRACE_ENGINE_TRANSLATE_EMIT_EMITTER_STATE_H
#define ITRACE_ENGINE_TRANSLATE_EMIT_EMITTER_STATE_H

#include <stdbool.h>

struct thread;
struct zone;

struct emitter {
	struct zone *zone;	/* to which code is appended */
	struct thread *thread;	/* stopped; maps new zones */
	bool r11_in_register;	/* R11 holds the program's value ... */
	bool r11_in_area;	/* ... and so does AREA_R11; one of the two is true */
	bool r11_was_used;	/* by the program, in the code emitted lately */
	bool has_program_value; /* the stolen register holds the program's value (log/log.h) */
};

#endif
