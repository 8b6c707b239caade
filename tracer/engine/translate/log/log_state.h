/* The data of log.c, log_shapes.c and emit/emit_log.c. */
#ifndef ITRACE_ENGINE_TRANSLATE_LOG_LOG_STATE_H
#define ITRACE_ENGINE_TRANSLATE_LOG_LOG_STATE_H

#include "engine/translate/log/log_plan.h"
#include "engine/translate/log/log_reader.h"

struct log {
	bool is_wanted;
	struct log_shapes shapes;
	/* The instructions that each shape stands for: the first ones of a fragment. */
	struct log_shape_source {
		uint32_t fragment;
		uint8_t n_insns, size; /* size: as in a record's head */
		uint32_t next;	       /* another shape of the fragment, or LOG_NO_SHAPE */
	} * sources;		       /* [n_sources] by shape */
	size_t n_sources, sources_capacity;
	uint8_t next_stolen;	/* the register to steal after the next flush */
	struct log_plan plan;	/* plan of the fragment that is emitted now */
	struct log_plan replay; /* plan of an earlier fragment, made again */

	/* For the fragment that is emitted now. */
	uint32_t head;	  /* of its records */
	size_t n_emitted; /* logged addresses so far */
};

#endif
