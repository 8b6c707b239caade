/* The data of log_shapes.c, log_drain.c and emit/emit_log.c. */
#ifndef ITRACE_ENGINE_TRANSLATE_LOG_LOG_STATE_H
#define ITRACE_ENGINE_TRANSLATE_LOG_LOG_STATE_H

#include "engine/translate/log/log_plan.h"
#include "engine/translate/log/log_reader.h"

struct log {
	bool is_wanted;
	struct log_shapes shapes;
	/* The meaning of each shape: the first instructions of a fragment. */
	struct log_shape_source {
		uint32_t fragment;
		uint8_t n_insns, size; /* size: as in a record's head */
		uint32_t next;	       /* another shape of the fragment, or LOG_NO_SHAPE */
	} * sources;		       /* [n_sources] by shape */
	size_t n_sources, sources_capacity;
	uint8_t next_stolen;	/* the register to steal from the next flush on */
	struct log_plan plan;	/* of the fragment that is emitted */
	struct log_plan replay; /* of one emitted earlier, made again */

	/* While a fragment is emitted. */
	uint32_t head;	  /* of its records */
	size_t n_emitted; /* logged addresses so far */
};

#endif
