/* Shared between the files of translate/ only. */
#ifndef ITRACE_ENGINE_TRANSLATE_TRANSLATOR_H
#define ITRACE_ENGINE_TRANSLATE_TRANSLATOR_H

#include "engine/task.h"
#include "engine/translate/addresses.h"
#include "engine/translate/fragments.h"
#include "engine/translate/cache.h"
#include "engine/translate/log/log_plan.h"
#include "engine/translate/consistency/pages.h"
#include "engine/translate/consistency/map_file.h"
#include "engine/translate/translate.h"

/* Where indirect transfers to one address of the program arrive. */
struct landing {
	uint64_t va, landing_va;
	uint64_t patch_va; /* the rel32 that leads on when another target is meant */
	uint32_t slot;	   /* of the table */
	uint32_t next;	   /* in the table's line, the one that patch_va leads to, or VA_MAP_NONE: to miss_va */
	bool keeps_flags;  /* while it compares */
	uint32_t former;   /* another one to the same address, registered earlier, or VA_MAP_NONE */
	uint32_t counter;  /* of transfers that arrive, if they are counted */
	bool is_unregistered;
};

/* Where an indirect transfer leads, as far as it was looked at. */
struct guess {
	uint64_t target_va;	   /* at first, or mostly, where transfers are counted */
	uint64_t n_same, n_others; /* times that it led there, and elsewhere */
	bool is_bad;		   /* it leads to various places */
};

/* The order of execution, if it is asked for: see log.h. */
struct log {
	bool is_wanted;
	struct stream_shapes shapes;
	/* What each shape is: the first instructions of a block. */
	struct log_origin {
		uint32_t block;
		uint8_t n_insns, size; /* size: as in a record's head */
		uint32_t next;	       /* another shape of the block, or LOG_NO_SHAPE */
	} * origins;		       /* [n_origins] by shape */
	size_t n_origins, origins_capacity;

	/* Of the block that is emitted. */
	struct log_plan plan;
	struct log_plan again; /* of a shape that is learned */
	uint32_t head;
	size_t n_emitted; /* words */
	bool is_own;	  /* the register that points into the log is the program's */

	uint8_t better; /* the register to steal from the next translation on */
};

/* The sites of indirect transfers: of those that may pass flags on to where they go, of others that jump to where RAX points, as those of
 * interpreters do, and of the rest; and that of all those that were recorded (edges.h). Each kind has a part of the table, in which each site
 * has a place of its own if transfers are counted: that is the first slot that it may use. */
enum site_kind { SITE_ANY, SITE_FLAGS, SITE_RAX, SITE_RECORDED, N_SITE_KINDS };

struct site_part {
	uint32_t first, n_places, n_sites;
};

struct translator {
	struct engine *engine;
	bool wants_edges; /* transfers of control are counted */
	unsigned first_tick, n_ticks_wanted, n_sampled_ticks;
	unsigned last_tick;
	uint64_t n_known;   /* instructions that were translated by then */
	bool is_starting;   /* many of them were new */
	unsigned n_stops;   /* time where trace_plan.traces_seed decides */
	bool does_news;	    /* much of what is executed was not, or hardly, when traces were made */
	unsigned news_tick; /* when that was looked at; entries of blocks, all and into those, that counters had then */
	uint64_t n_entries, n_cold;
	uint64_t n_harvested; /* entries since traces were made that counters do not have any more */
	bool is_outdated;     /* better code can be made */
	struct log log;
	struct cache cache;
	struct pages pages;
	bool is_refused;      /* this program cannot be translated */
	bool is_exhausted;    /* nor more of it than is, which was noted */
	bool has_memory_file; /* the program has /proc/PID/mem open */
	bool has_map_file;    /* ... or a file that tells what is mapped */
	struct map_file *map_files;
	size_t n_map_files, map_files_capacity;
	bool steps_writing;   /* system calls that write to its memory are stepped */
	bool is_doubtful;     /* some of what is translated may have changed */
	bool has_suspects;    /* pages that were suspended since check_pages */
	bool has_guards;      /* pages that are kept from being written to */
	bool has_shared_code; /* some was translated (alias.h) */
	bool has_forked;      /* another process has the program's shared memory */
	bool returns_flags;   /* a function does, and who called it looks at them */

	struct block *blocks; /* ascending by address within each zone */
	size_t n_blocks, blocks_capacity;
	struct block_insn *insns;
	size_t n_insns, insns_capacity;
	struct point *points;
	size_t n_points, points_capacity;
	struct counter *counters; /* [n_counters], by index in the area */
	size_t n_counters, counters_capacity;
	uint32_t *targets; /* [n_targets] which of them are COUNTER_TARGET */
	size_t n_targets, targets_capacity;
	struct exit *exits;
	size_t n_exits, exits_capacity;
	struct addresses addresses; /* of the program */
	struct va_map exit_at;	    /* by address in the cache */
	struct va_map heats;	    /* the program's address: executions, where traces may be made */
	struct va_map branch_heats; /* those of transfers of control */
	struct va_map guess_at;	    /* the program's address of an indirect transfer: index in guesses */
	struct guess *guesses;
	size_t n_guesses, guesses_capacity;
	struct va_map stops; /* the program's address: not to be passed in translated code */
	struct landing *landings;
	size_t n_landings, landings_capacity;
	uint32_t *first_landing; /* [n_table_entries] index + 1 of the first one in line; 0: none */
	size_t n_table_entries;
	struct site_part sites[N_SITE_KINDS];
	uint32_t n_clears; /* how often all was forgotten */
	struct link *links;
	size_t n_links, links_capacity;
	uint32_t *zone_blocks[ZONES_MAX]; /* indices in blocks, ascending by address */
	size_t n_zone_blocks[ZONES_MAX], zone_blocks_capacity[ZONES_MAX];
	uint64_t miss_va
		[N_SITE_KINDS]; /* where an indirect transfer without a landing goes: to an INT3, or to be recorded */
	struct va_map recorded; /* transfers, as edges.c tells them apart, that were recorded already */
	uint64_t *breakpoints;	/* ascending: those of the process, when last looked at */
	size_t n_breakpoints, breakpoints_capacity;
	uint32_t breakpoints_version;
	size_t n_sections; /* of the engine's, that nothing is translated from any more */

	/* While translating. */
	struct zone *zone;
	struct thread *thread;
	bool calls_out;	   /* because of that, all threads were told to come out */
	bool is_full;	   /* no room, start anew */
	bool r11_is_home;  /* the register holds the program's R11, ... */
	bool r11_is_saved; /* ... the area does */
	bool r11_was_used; /* by the program, lately */
};

/* A block as decoded, before it is emitted. */
struct draft {
	uint64_t va, end_va;
	struct block_insn insns[BLOCK_INSNS_MAX];
	struct insn_effects effects[BLOCK_INSNS_MAX];
	uint16_t flags_live[BLOCK_INSNS_MAX]; /* before each */
	size_t n_insns;
	bool is_trace; /* it may go on over transfers, and into what other blocks begin with */
};

/* Where the branch leads that does not go on with the next instruction of the draft. */
static inline uint64_t draft_side(const struct draft *draft, size_t i)
{
	uint64_t behind_va = draft->insns[i].va + draft->insns[i].insn.length;

	return draft->insns[i + 1].va == behind_va ? behind_va + (uint64_t)draft->insns[i].insn.displacement
						   : behind_va;
}

static inline bool flow_is_indirect(enum insn_flow flow)
{
	return flow == FLOW_RETURN || flow == FLOW_JUMP_INDIRECT || flow == FLOW_CALL_INDIRECT;
}

/* draft.c: the address of a RIP-relative operand. */
uint64_t draft_operand(const struct insn *insn, const struct insn_effects *effects, uint64_t va);

/* Reads the block at va. False when its first instruction is not to be translated. */
bool draft_read(struct translator *translator, uint64_t va, struct draft *draft);

/* It is no longer expected there if it leads elsewhere once in this many times. */
enum { GUESS_MOSTLY = 4 };

/* traces.c: what is guessed of the indirect transfer at va; NULL: nothing; or that it leads to target_va, which is added then. */
struct guess *traces_find_guess(struct translator *translator, uint64_t va);
struct guess *traces_add_guess(struct translator *translator, uint64_t va, uint64_t target_va);

/* pairs.c: guesses anew, by what counted transfers. */
void pairs_guess(struct translator *translator, const uint64_t *values);

bool traces_are_due(struct translator *translator);

/* The program stopped for code to be translated. */
void traces_count_stop(struct translator *translator);

/* A number below n_ways, another one for each address, seed and flush: what tests have decided by trace_plan.traces_seed. */
uint32_t traces_draw(const struct translator *translator, uint64_t va, uint32_t n_ways);

/* Notes how hot code is, from what the task, which is the only one, has counted since the last time. False: that is too little, it is due
 * later again. */
bool traces_learn(struct translator *translator, const struct task *task);

/* Where the block is to go on behind the transfer that it ends in so far; 0: nowhere. If it went into a loop on its way, it is cut
 * to what lies before that. */
uint64_t traces_next(struct translator *translator, struct draft *draft);

/* Whether a trace may go on at va, for all that it took in so far. */
bool traces_may_take(const struct draft *draft, uint64_t va);

/* Looks where indirect transfers of the task, which may be running, led last. */
void traces_sample(struct translator *translator, const struct task *task);

/* Looks whether it does something new. */
void traces_look_for_news(struct translator *translator, const struct task *task);

/* Whether it is to be known where an indirect transfer leads. */
bool traces_want_target(struct translator *translator, const struct block_insn *insn);

/* Whether traces begin at va, or go on there behind a transfer. */
bool traces_is_hot(const struct translator *translator, uint64_t va);

/* Whether a branch is probably taken less often than not. */
bool traces_hardly_take(const struct translator *translator, uint64_t behind_va, uint64_t target_va);

/* Whether code at va, where some branch leads, is to be translated before it is executed. */
bool traces_want_side(const struct translator *translator, uint64_t va);

/* liveness.c: the flags whose values may still be looked at by what is executed from va on. */
uint16_t flags_live_at(struct translator *translator, uint64_t va);
/* Whether some are certain to be looked at, as far as one way from va tells. */
bool flags_are_read_at(struct translator *translator, uint64_t va);
void draft_find_live_flags(struct translator *translator, struct draft *draft);

/* Whether code that goes on at va finds R11 in the register, or else in the area, where it serves as our own scratch register meanwhile. Decided
 * once and for all by the first who asks: he says whether R11 was used on the way there, so that it may be needed soon. */
bool r11_is_home_at(struct translator *translator, uint64_t va, bool was_used);

/* chain.c: finds or makes the block at va, and what it leads to; and, behind a landing for this site unless it is SITE_NONE, one that is made.
 * NULL when it cannot be translated. */
struct block *translate_block(struct translator *translator, struct thread *thread, uint64_t va, uint32_t site);

/* Makes indirect transfers from the site to va, where a block is, arrive. */
void translate_landing(struct translator *translator, struct thread *thread, uint64_t va, uint32_t site);

/* The same for those that leave a block so (edges.h), to be counted. */
void translate_counted_landing(struct translator *translator, uint64_t va, uint32_t from);

/* link.c. What other threads run meanwhile is changed by single stores that leave whole instructions: of a byte, of a rel32 that
 * emit_alignment prepared, of a word in the table. */
struct block *add_block(struct translator *translator, uint64_t va);
void add_point(struct translator *translator, struct point point); /* here, of the block that was added last */
void add_exit(struct translator *translator, uint64_t at_va, struct exit exit);
void add_link(struct translator *translator, uint64_t patch_va, uint64_t va);
void link_block(struct translator *translator, uint64_t va, uint64_t entry_va);
void link_branch(struct translator *translator, uint64_t patch_va, uint64_t to_va);
uint32_t add_site(struct translator *translator, enum site_kind kind);
enum site_kind site_kind(const struct translator *translator, uint32_t site);
void register_landing(struct translator *translator, uint32_t site, struct landing landing);

/* The landing at va for a site; NULL: there was none. It may be unregistered. */
const struct landing *find_landing(const struct translator *translator, uint64_t va, uint32_t site);
void unregister_landings(struct translator *translator, uint64_t va);
void make_miss(struct translator *translator);

/* The block at va that may be entered, or NULL. */
struct block *find_block(const struct translator *translator, uint64_t va);

/* retire.c: translated code that is no longer to be entered, while threads may still be in it. */
void retire_block(struct translator *translator, struct block *block);
void retire_all(struct translator *translator);
void retire_at(struct translator *translator, uint64_t va); /* what executes the byte at va */
void retire_sections(struct translator *translator);	    /* restartable sequences that became known */

/* A new block, whose instructions are known, is found by its pages. */
void remember_block(struct translator *translator, uint32_t index);

/* Keeps everyone out of what was translated from these pages, until check_pages finds it unchanged. */
void suspend_range(struct translator *translator, uint64_t start_va, uint64_t end_va);
void suspend_page(struct translator *translator, struct code_page *page);
void check_pages(struct translator *translator, const struct process *process);
void check_page(struct translator *translator, const struct process *process, struct code_page *page);

/* The same for pages that changed unseen; those are not suspended. */
void verify_pages(struct translator *translator, const struct process *process);

/* syscalls.c: which system calls translated code performs itself. */
void choose_syscalls(struct translator *translator);
void step_writing_syscalls(struct translator *translator); /* from now on */
void step_file_syscalls(struct translator *translator);	   /* those that write to files */
void step_reads(struct translator *translator,
		bool are_stepped);			/* those that may read a file of translator->map_files */
void step_mask_syscalls(struct translator *translator); /* those that may block SIGTRAP */

/* map_file.c: for another program, or none. */
void map_files_forget(struct translator *translator);

/* translate.c: whether a thread of the process other than this one is in translated code. */
bool has_others(const struct translator *translator, const struct task *task);

/* The block at va, made if need be, and, if so, behind a landing for this site unless it is SITE_NONE. Heeds first all that may have
 * changed since the last time. NULL when the instruction there is to be stepped. */
const struct block *get_block(struct translator *translator, struct task *task, uint64_t va, uint32_t site);

/* state.c: what an address in the cache stands for. */
struct place {
	const struct block *block;
	const struct point *point; /* the last one at or before the address */
	const struct exit *exit;   /* the address is that of its INT3; else NULL */
};
bool find_place(struct translator *translator, uint64_t cache_va, struct place *place);

/* Where the program goes on that came to this exit. */
uint64_t exit_target(const struct task *task, const struct exit *exit, const struct target_regs *regs);

/* Makes of registers in translated code the program's own, GS excepted, and puts the counts right for a block that was left in its
 * midst. False, with nothing done, when the thread must run on first. */
bool settle_state(struct translator *translator, struct task *task, const struct place *place,
		  struct target_regs *regs);
/* The same for a thread that was stopped for our sake only: a system call that this interrupted is made anew. */
bool settle_interrupted(struct translator *translator, struct task *task, const struct place *place,
			struct target_regs *regs);
void settle_death(struct translator *translator, struct task *task, const struct place *place,
		  struct target_regs *regs);

/* harvest.c */
uint32_t block_insn_index(struct translator *translator, struct block_insn *insn);

/* What counters of an instruction counted. */
struct insn_counts {
	uint64_t n_side, n_arm, iterations;
};

/* Those of a block's `insn` stand from *at on, behind those of all before it; then *at is behind them. values: from the block's own on,
 * which is at 0. */
struct insn_counts insn_counts_find(const struct translator *translator, const struct block *block,
				    const uint64_t *values, size_t insn, size_t *at);

/* Adds the first n_insns of a block, executed once. */
void harvest_part(struct translator *translator, struct task *task, const struct block *block, size_t n_insns);

static inline uint64_t *counter_word(const struct task *task, uint32_t counter)
{
	return area_word(task->area, AREA_COUNTERS + (uint64_t)counter * 8);
}

#endif
