/* Translated code as itrace keeps it in mind: blocks, what each of their bytes stands for, and the places where they leave the cache. */
#ifndef ITRACE_ENGINE_TRANSLATE_FRAGMENTS_H
#define ITRACE_ENGINE_TRANSLATE_FRAGMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/effects.h"
#include "base/va_map.h"
#include "profile/profile.h"

enum { BLOCK_INSNS_MAX = 96 };

/* What the state of a thread means that stands on an address of translated code. `insn` is the one that the code belongs to. */
enum point_kind {
	POINT_CLEAN,	      /* insn is about to execute, all registers are the program's, but perhaps R11 */
	POINT_REP,	      /* the same; RCX iterations, counted in advance, are still to come */
	POINT_SYSCALL,	      /* insn is about to execute, once RCX is taken back from the area */
	POINT_SYSCALL_NUMBER, /* the same; the call was counted under its number ... */
	POINT_SYSCALL_SITE,   /* ... and as an execution of the instruction */
	POINT_SYSCALL_DONE,   /* insn was executed, RCX is to become the address behind it */
	POINT_FORWARD,	      /* in the midst of our own work, which is to be run to its end; it never faults */
};

struct point {
	uint16_t offset;      /* from the block's entry_va */
	uint8_t insn;	      /* index in the block; n_insns: all are executed */
	uint8_t kind : 6;     /* enum point_kind */
	bool r11_is_away : 1; /* R11 is to be taken back from the area */
	bool is_own : 1;      /* the register that points into the log is the program's */
};

/* What a counter counts. */
enum counter_kind {
	COUNTER_BLOCK,	   /* executions of all instructions of a block */
	COUNTER_REP,	   /* RCX before a REP string instruction, summed up ... */
	COUNTER_REP_AFTER, /* ... and after it */
	COUNTER_ARM,	   /* one arm of the branch that a block ends in */
	COUNTER_LANDED,	   /* transfers with insn, an indirect one, to one other block */
	COUNTER_SIDE,	   /* executions of a block that left it with insn, a transfer in its midst */
	COUNTER_TARGET,	   /* no count: where insn, an indirect transfer, led the last time; traces.c looks at it */
};

#define COUNTER_NONE UINT32_MAX
#define SITE_NONE UINT32_MAX
#define LOG_NO_SHAPE UINT32_MAX

struct counter {
	enum counter_kind kind;
	uint32_t block;
	uint8_t insn;
	uint32_t to; /* COUNTER_LANDED: block */
	/* Where transfers are counted: of the indirect one that a block (COUNTER_BLOCK) ends in or is left by. SITE_NONE: none. */
	uint32_t site;
};

/* An instruction of a block. Its place in the profile is found when it is first counted. */
struct block_insn {
	uint64_t va;
	struct insn insn;
	uint32_t index; /* in profile->insns, or PROFILE_NONE */
};

/* Code of the program in the order of its execution: straight-line, or a trace (traces.c); or (n_insns 0) work of our own on the way to va. At entry_va all registers are the program's, but
 * R11 is in the area unless r11_is_home_at(va); an INT3 can take the place of the first byte there at any time. */
struct block {
	uint64_t va, end_va; /* where the program goes on after the last instruction, unless a transfer is taken */
	uint64_t entry_va;   /* in the cache */
	uint64_t counted_va; /* from here on in the cache its counter has counted */
	uint64_t logged_va;  /* from here on it has begun a record in the log ... */
	uint64_t told_va;    /* ... which from here on is whole */
	uint32_t counter, n_counters; /* its own, and with those behind it, which are in the order of instructions */
	uint32_t first_insn, n_insns; /* in translator->insns */
	uint32_t first_shape;	      /* LOG_NO_SHAPE: none */
	uint32_t first_point;	      /* in translator->points */
	uint32_t arm;	       /* counter of the branch that it ends in, if transfers are counted; or COUNTER_NONE */
	bool is_taken_counted; /* by arm: that it was; or else that it was not */
	bool falls_on;	       /* into the next one in translator->blocks, without a jump */
	bool is_retired;       /* never to be entered again; what is in it may run on to its end */
	uint8_t n_suspended;   /* pages of it that may have changed: not to be entered until that is known */
	uint8_t entry_byte;    /* while an INT3 stands at entry_va: what belongs there */
};

/* An INT3 where translated code gives up. */
enum exit_kind {
	EXIT_LINK,	/* va has no translation yet, or none any more */
	EXIT_INDIRECT,	/* exit_target() has no landing yet */
	EXIT_STEP,	/* the instruction at va is better stepped this time */
	EXIT_MOVES_RSP, /* the same; a visit or a handler may end with it */
};

struct exit {
	enum exit_kind kind;
	uint64_t va;	  /* of the program, where it would go on; EXIT_INDIRECT: the site */
	bool r11_is_away; /* R11 is to be taken back from the area */
};

/* A rel32 that leads to the block at an address, or to an exit until there is one. */
struct link {
	uint64_t patch_va;
	uint32_t next; /* another one to the same address, or VA_MAP_NONE */
};

#endif
