/* Sampling without the kernel's help: a timer interrupts the threads that run. Private to sampler/. */
#ifndef ITRACE_SAMPLER_STOPS_H
#define ITRACE_SAMPLER_STOPS_H

#include "profile/sampling.h"
#include "sampler/memory_map.h"
#include "target/target.h"

#define STOPS_SERIES_MAX 8

struct stops {
	struct target *target;	   /* borrowed */
	struct sampling *sampling; /* borrowed; its series are filled */
	struct memory_map *map;	   /* borrowed */
	uint64_t begin_ns;
	uint64_t due_ns[STOPS_SERIES_MAX]; /* of each series */
	bool is_over;
};

/* The sampling has its series, at most STOPS_SERIES_MAX. */
void stops_init(struct stops *stops, struct target *target, struct sampling *sampling, struct memory_map *map,
		uint64_t begin_ns);

/* Interrupts the threads whose sample is due; returns when the next one is. */
uint64_t stops_tick(struct stops *stops, uint64_t now_ns);

/* A thread stopped without other news: takes the samples that are due. */
void stops_on_stop(struct stops *stops, struct thread *thread, uint64_t now_ns);

/* Reads anew what is mapped. */
void stops_read_map(struct sampling *sampling, struct memory_map *map, const struct process *process);

void stops_on_gone(struct thread *thread);

#endif
