/* A CPU in the pipeline estimator: parameters, ports, rules, and attributes of forms. Private to
 * costmodels/estimators/pipeline. */
#ifndef ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_MACHINE_H
#define ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_MACHINE_H

#include "costmodels/estimators/pipeline/result.h"
#include "costmodels/model/model.h"
#include "costmodels/model/text_file.h"
#include "costmodels/model/text_index.h"
#include "decode/insn_operands.h"

typedef uint64_t port_set_t; /* bit i: port i */

/* Micro-fused pairs with an indexed address that are split at issue: */
enum unlamination {
	UNLAMINATE_NEVER, /* none */
	/* All but stores and legacy-encoded instructions that read their first register. */
	UNLAMINATE_DESTRUCTIVE_STAYS,
	UNLAMINATE_INDEXED, /* all */
};

/* Loads that are renamed to the data of a store with the same registers and displacement: */
enum memory_renaming {
	RENAMES_NOTHING, /* none */
	RENAMES_BASE,	 /* loads without an index; narrower than 32 bits only if the instruction also writes memory */
	RENAMES_INDEX,	 /* loads of at least 32 bits, with or without an index */
};

/* The time at which a micro-operation gets one of its possible ports. */
enum port_choice {
	PORT_AT_START, /* when it starts: any free port */
	PORT_AT_ISSUE, /* when it issues: the port for which the fewest micro-operations wait */
};

/* A scheduler queue, and the ports that execute its micro-operations. */
struct scheduler {
	port_set_t ports;
	uint32_t entries;
};
#define MAX_SCHEDULERS 8 /* no modelled CPU has more */

/* The parameters of a model that the estimator reads (data/FORMAT.md). Members named cycles or latency are in whole
 * cycles. */
struct machine_parameters {
	uint32_t issue_width;
	uint32_t predecode_bytes, predecode_width,
		lcp_cycles; /* predecode_bytes 0: the CPU has no legacy decode pipeline */
	uint32_t decoders, complex_uops;
	/* Size of the aligned block of code that is delivered per cycle. 0: no such limit. */
	uint32_t op_cache_fetch_bytes;
	uint32_t op_cache_width, op_cache_window_bytes, op_cache_lines, op_cache_line_uops;
	uint32_t loop_buffer; /* micro-operations; 0: none */
	/* The op cache holds no jump that crosses or ends at a multiple of this. 0: it holds all jumps. */
	uint32_t jump_window_bytes;
	uint32_t scaled_index_cycles; /* added to the latency of a load with a scaled index */
	uint32_t load_latency, simple_load_latency, vector_load_latency, wide_load_latency;
	uint32_t store_forward_latency, vector_store_forward_latency, failed_forward_cycles, tlb_miss_latency;
	uint32_t forwards_by_page;   /* 1: also between virtual addresses of one physical page */
	uint32_t last_decoder_fuses; /* 1: an instruction that may fuse with a jump may be decoded last in a cycle */
	enum memory_renaming memory_renaming;
	/* Cycles that a store occupies store_data_ports. 0: as its row of the cost table states. */
	uint32_t store_cycles;
	uint32_t stack_sync; /* 1: an explicit use of RSP after PUSH or POP takes a micro-operation */
	/* 1: a register move issues with the next instruction if that one changes the moved value. */
	uint32_t move_fusion;
	/* Port cycles of an ALU operation that depends on another or that another depends on, in percent of those in
	 * its row of the cost table. 0: as in the row. */
	uint32_t paired_alu_percent;
	uint32_t counts_fused; /* 1: the rows of the cost table count fused micro-operations */
	enum unlamination unlamination;
	/* Limits that only the simulation uses. 0: the limit is unknown. */
	uint32_t retire_width, rob, scheduler, uop_queue, instruction_queue, load_buffer, store_buffer;
	uint32_t mispredict_cycles; /* from the execution of a mispredicted branch to the delivery of the right path */
	enum port_choice port_choice;
	port_set_t fused_jump_ports; /* ports of an instruction fused with its jump; 0: the ports of the jump */
	port_set_t load_ports, store_address_ports, store_address_indexed_ports, store_data_ports, alu_ports,
		memory_ports, divider_ports;
};

/* Attributes that a rule gives a form (data/FORMAT.md, "Rules"). */
enum form_flag {
	FORM_ZERO = 1 << 0,	   /* has no source and needs no port */
	FORM_INDEPENDENT = 1 << 1, /* has no source but needs a port */
	FORM_MOVE = 1 << 2,	   /* a register move that renaming eliminates */
	FORM_NOP = 1 << 3,
	FORM_MERGES = 1 << 4,	    /* depends on the old value of its destination */
	FORM_FUSE_TEST = 1 << 5,    /* fuses with any conditional jump that follows */
	FORM_FUSE_COMPARE = 1 << 6, /* fuses with all jumps except on the sign, parity or overflow flag alone */
	FORM_FUSE_COUNT = 1 << 7,   /* fuses with the jumps of FORM_FUSE_COMPARE that do not test the carry flag */
	FORM_NO_FUSION = 1 << 8,    /* load and operation issue separately */
	FORM_COMPLEX = 1 << 9,	    /* needs the complex decoder */
	FORM_JUMP = 1 << 10,	    /* a conditional jump */
	FORM_FLAGS_ONLY = 1 << 11,  /* its only source is the flags */
};

/* Effect of a form on the symbolic value of its destination. */
enum symbolic_operation {
	SYMBOLIC_OTHER,
	SYMBOLIC_COPY,
	SYMBOLIC_IMMEDIATE,
	SYMBOLIC_ADD,
	SYMBOLIC_SUB,
	SYMBOLIC_INC,
	SYMBOLIC_DEC,
	SYMBOLIC_LEA,
	SYMBOLIC_EXTEND, /* zero extension */
	SYMBOLIC_SIGN_EXTEND,
};

struct port_use {
	port_set_t ports;
	uint32_t mcyc; /* port cycles in all, each on any one port of the set */
};

#define MAX_PORT_USES 10 /* add_use() merges further ones into the last */
#define MAX_FORM_OPERANDS 5
#define NOT_STATED UINT32_MAX /* latency_mcyc applies */

/* The figures of a form. They apply to every instruction of the form, whatever its registers. */
struct form_attributes {
	char *text;
	enum cost_match match;
	uint32_t flags;				  /* enum form_flag */
	uint32_t latency_mcyc;			  /* from a register to the result; excludes the latency of a load */
	uint32_t operand_mcyc[MAX_FORM_OPERANDS]; /* from each explicit register operand, or NOT_STATED */
	uint32_t flags_mcyc;			  /* from the flags, or NOT_STATED */
	/* From the old value of a vector register that the instruction merges into. 0: latency_mcyc. */
	uint32_t merge_mcyc;
	uint32_t n_uses;
	struct port_use uses[MAX_PORT_USES]; /* excludes loads and stores */
	uint32_t load_mcyc, store_address_mcyc, store_data_mcyc;
	uint32_t operation_uops; /* micro-operations that are neither load nor store */
	uint32_t loads, stores;	 /* micro-operations; a store's address and data count as one */
	uint32_t fused_uops;	 /* decoded micro-operations, in the fused domain */
	enum symbolic_operation symbolic;
	bool is_pure_move; /* loads or stores without any other operation */
};

struct rule {
	const char *patterns, *attributes; /* borrowed from rules_file; patterns are separated by ';' */
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
	struct form_attributes **forms; /* [n_forms] owned; forms_by_text maps a form's text to its index */
	size_t n_forms, forms_capacity;
	struct text_index forms_by_text;
	struct block *block;	     /* storage that each estimate uses again */
	struct simulator *simulator; /* for blocks that repeat; NULL until the first estimate */
};

/* machine.c */
bool machine_read(struct pipeline *pipeline, struct error *err);
/* Finds the ports that a name such as "p0156", "alu0.bru1" or "load" states. Adds ports with new names. Returns false
 * if there are too many ports. */
bool machine_find_ports(struct pipeline *pipeline, const char *name, size_t n_name, port_set_t *ports);

/* rules.c */
bool machine_read_rules(struct pipeline *pipeline, struct error *err);

/* The attributes that the rules state for a form. */
struct rule_attributes {
	uint32_t flags;	     /* enum form_flag */
	int32_t latency;     /* cycles; -1: not stated */
	int32_t fused;	     /* micro-operations; -1: not stated */
	int32_t merge;	     /* cycles; 0: not stated */
	const char *ports;   /* not terminated; borrowed from rules_file; NULL: not stated */
	size_t ports_length; /* of the text `ports` */
};
/* Returns whether any rule matches. Attributes that no rule states stay unchanged. */
bool machine_apply_rules(const struct pipeline *pipeline, const char *form, struct rule_attributes *out);

/* form_attributes.c. A form without a cost gets default figures. `operands` are those of any instruction of the form.
 * The pipeline owns the result. */
const struct form_attributes *machine_find_form(struct pipeline *pipeline, const char *form,
						const struct insn_operands *operands);

#endif
