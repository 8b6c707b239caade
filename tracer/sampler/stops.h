/* Samples by ptrace: a timer interrupts the running threads. Private to sampler/. */
#ifndef ITRACE_SAMPLER_STOPS_H
#define ITRACE_SAMPLER_STOPS_H

#include "profile/sampling.h"
#include "sampler/memory_map.h"
#include "target/target.h"

#define STOPS_SERIES_MAX 8

struct stops {
	struct target *target;	   /* borrowed */
	struct sampling *sampling; /* borrowed; has its series */
	struct memory_map *map;	   /* borrowed */
	uint64_t begin_ns;
	uint64_t due_ns[STOPS_SERIES_MAX]; /* time at which the next sample of each series is due */
	bool is_over;
};

/* `sampling` must already have its series, at most STOPS_SERIES_MAX. */
void stops_init(struct stops *stops, struct target *target, struct sampling *sampling, struct memory_map *map,
		uint64_t begin_ns);

/* Interrupts the threads of which a sample is due. Returns the time at which the next sample is due. */
uint64_t stops_tick(struct stops *stops, uint64_t now_ns);

/* Takes the due samples of an interrupted thread. Returns the time of the interruption, or 0 if there was none. */
uint64_t stops_on_stop(struct stops *stops, struct thread *thread, uint64_t now_ns);

/* Reads the mappings of the process again. */
void stops_read_map(struct sampling *sampling, struct memory_map *map, const struct process *process);

/* Frees the sampler's state of a thread that has ended. */
void stops_on_gone(struct thread *thread);

#endif
