/* The data of emitter.c: assumptions that the code emitted next may make. */
#ifndef ITRACE_ENGINE_TRANSLATE_EMIT_EMITTER_STATE_H
#define ITRACE_ENGINE_TRANSLATE_EMIT_EMITTER_STATE_H

#include <stdbool.h>

struct thread;
struct zone;

struct emitter {
	struct zone *zone;	/* the zone to which code is appended */
	struct thread *thread;	/* a stopped thread, for mapping new zones */
	bool r11_in_register;	/* R11 holds the program's value ... */
	bool r11_in_area;	/* ... AREA_R11 holds it, too; at least one of the two is true */
	bool r11_was_used;	/* recently emitted code of the program uses R11 */
	bool has_program_value; /* the stolen register holds the program's value (log/log.h) */
};

#endif
