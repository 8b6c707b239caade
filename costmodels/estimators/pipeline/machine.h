/* What the pipeline estimator knows of one CPU: parameters, ports, rules, and forms lowered to what they occupy. Private
 * to costmodels/pipeline. */
#ifndef ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_MACHINE_H
#define ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_MACHINE_H

#include "costmodels/estimators/pipeline/result.h"
#include "costmodels/model/model.h"
#include "costmodels/model/text_file.h"
#include "costmodels/model/text_index.h"
#include "decode/insn_operands.h"

typedef uint64_t port_set_t; /* bit i: port i */

/* Where an indexed address makes a micro-fused pair issue as two. */
enum unlamination {
	UNLAMINATE_NEVER,
	UNLAMINATE_DESTRUCTIVE_STAYS, /* only where the first register is not both read and written */
	UNLAMINATE_INDEXED,	      /* always */
};

/* Which loads are renamed to what was stored, where the same registers and displacement name the place. */
enum memory_renaming {
	RENAMES_NOTHING,
	RENAMES_BASE,  /* those without an index; of less than 32 bits only what also writes there */
	RENAMES_INDEX, /* with and without; of 32 bits and more */
};

/* When a micro-operation gets its port, of those that could take it. */
enum port_choice {
	PORT_AT_START, /* any that is free */
	PORT_AT_ISSUE, /* the one for which the fewest wait */
};

/* A queue of micro-operations that wait for the same ports. */
struct scheduler {
	port_set_t ports;
	uint32_t entries;
};
#define MAX_SCHEDULERS 8

/* From [parameters]; data/FORMAT.md says what each means. Cycles are whole. */
struct machine_parameters {
	uint32_t issue_width;
	uint32_t predecode_bytes, predecode_width, lcp_cycles; /* predecode_bytes 0: no such stage */
	uint32_t decoders, complex_uops;
	uint32_t op_cache_fetch_bytes; /* it delivers from one aligned block of so many bytes in a cycle; 0: from any */
	uint32_t op_cache_width, op_cache_window_bytes, op_cache_lines, op_cache_line_uops;
	uint32_t loop_buffer;	      /* micro-operations; 0: none */
	uint32_t jump_window_bytes;   /* a jump that crosses or ends at one is not cached; 0: no matter */
	uint32_t scaled_index_cycles; /* that an index with a scale adds to a load */
	uint32_t load_latency, simple_load_latency, vector_load_latency, wide_load_latency;
	uint32_t store_forward_latency, vector_store_forward_latency, failed_forward_cycles, tlb_miss_latency;
	uint32_t forwards_by_page;   /* 1: also between two names of one physical page */
	uint32_t last_decoder_fuses; /* 1: what could fuse with a jump may be decoded last in a cycle */
	enum memory_renaming memory_renaming;
	uint32_t store_cycles; /* of the data of one store; 0: as the rows say */
	uint32_t stack_sync;   /* 1: an explicit use of RSP after PUSH or POP takes a micro-operation */
	uint32_t move_fusion;  /* 1: a register move is issued with the operation on its destination that follows */
	uint32_t
		paired_alu_percent; /* what operations cost their ports where one takes the other's result; 0: nothing more */
	uint32_t counts_fused; /* 1: the rows count micro-operations as they issue */
	enum unlamination unlamination;
	/* Only the simulation minds the rest; 0 where a limit is not known. */
	uint32_t retire_width, rob, scheduler, uop_queue, instruction_queue, load_buffer, store_buffer;
	uint32_t
		mispredict_cycles; /* from where a branch finds it was predicted wrongly to the issue of what is right */
	enum port_choice port_choice;
	port_set_t fused_jump_ports; /* of an operation and its jump; none: of the jump alone */
	port_set_t load_ports, store_address_ports, store_address_indexed_ports, store_data_ports, alu_ports,
		memory_ports, divider_ports;
};

/* What a rule states of a form (data/FORMAT.md, "Rules"). */
enum form_flag {
	FORM_ZERO = 1 << 0,	   /* no source, no port */
	FORM_INDEPENDENT = 1 << 1, /* no source */
	FORM_MOVE = 1 << 2,	   /* renamed only */
	FORM_NOP = 1 << 3,
	FORM_MERGES = 1 << 4,	    /* waits for its destination's old value */
	FORM_FUSE_TEST = 1 << 5,    /* fuses with any conditional jump that follows */
	FORM_FUSE_COMPARE = 1 << 6, /* not with those that ask for sign, parity or overflow alone */
	FORM_FUSE_COUNT = 1 << 7,   /* nor for carry */
	FORM_NO_FUSION = 1 << 8,    /* load and operation issue as two */
	FORM_COMPLEX = 1 << 9,	    /* needs the complex decoder */
	FORM_JUMP = 1 << 10,	    /* conditional */
	FORM_FLAGS_ONLY = 1 << 11,  /* no source but the flags */
};

/* What a form does to the symbolic value of its destination. */
enum symbolic {
	SYMBOLIC_OTHER,
	SYMBOLIC_COPY,
	SYMBOLIC_IMMEDIATE,
	SYMBOLIC_ADD,
	SYMBOLIC_SUB,
	SYMBOLIC_INC,
	SYMBOLIC_DEC,
	SYMBOLIC_LEA,
	SYMBOLIC_EXTEND, /* with zeros */
	SYMBOLIC_SIGN_EXTEND,
};

struct port_use {
	port_set_t ports;
	uint32_t mcyc; /* cycles that the set is occupied for, to be shared by its ports */
};

#define MAX_PORT_USES 10
#define MAX_FORM_OPERANDS 5
#define NOT_STATED UINT32_MAX

/* A form's figures, without what depends on the registers of one instruction. */
struct form_facts {
	char *form;
	enum cost_match match;
	uint32_t flags;				  /* enum form_flag */
	uint32_t latency_mcyc;			  /* from a register to the result; a load's time is not in it */
	uint32_t operand_mcyc[MAX_FORM_OPERANDS]; /* from each operand that the form shows, if it is a register; */
	uint32_t flags_mcyc;			  /* and from the flags; NOT_STATED: as latency_mcyc */
	uint32_t merge_mcyc; /* from the vector register that the result is merged into; 0: as latency_mcyc */
	uint32_t n_uses;
	struct port_use uses[MAX_PORT_USES]; /* of the operation: loads and stores come apart */
	uint32_t load_mcyc, store_address_mcyc, store_data_mcyc;
	uint32_t operation_uops; /* micro-operations that are neither load nor store */
	uint32_t loads, stores;	 /* micro-operations; a store is address and data in one */
	uint32_t fused_uops;	 /* as decoded, micro-fused */
	enum symbolic symbolic;
	bool is_pure_move; /* a load or store that does nothing else */
};

struct rule {
	const char *patterns, *cpus, *facts; /* as in the file; patterns cut at ';' */
	unsigned line;
};

struct pipeline {
	const struct model *model;
	struct machine_parameters parameters;
	struct scheduler schedulers[MAX_SCHEDULERS];
	size_t n_schedulers;
	char *port_names[PIPELINE_MAX_PORTS];
	size_t n_ports;
	struct text_file rules_file;
	char *rules_path;
	struct rule *rules;
	size_t n_rules, rules_capacity;
	struct form_facts **facts; /* owned; by form in facts_by_form */
	size_t n_facts, facts_capacity;
	struct text_index facts_by_form;
	struct block *block;	     /* reused */
	struct simulator *simulator; /* for blocks that repeat; NULL until there is one */
};

/* machine.c */
bool machine_read(struct pipeline *pipeline, struct error *err);
/* The ports of a name such as "p0156", "alu0.bru1" or "load"; new names become new ports. False if there are too many. */
bool machine_port_set(struct pipeline *pipeline, const char *name, size_t n_name, port_set_t *ports);

/* rules.c */
bool rules_read(struct pipeline *pipeline, struct error *err);

/* Facts that rules state of a form; what none states stays as it is. */
struct rule_facts {
	uint32_t flags;
	int32_t latency, fused, merge; /* -1: not stated */
	const char *ports;	       /* NULL: not stated */
	size_t n_ports_text;
};
bool rules_apply(const struct pipeline *pipeline, const char *form, struct rule_facts *out);

/* facts.c: never fails; an unknown form gets the figures that pipeline.h promises. The operands are those of one
 * instruction of the form. */
const struct form_facts *facts_of(struct pipeline *pipeline, const char *form, const struct insn_operands *operands);

#endif
