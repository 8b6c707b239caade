/* The step backend: executes one instruction at a time by PTRACE_SINGLESTEP. It is slow, can execute every
 * instruction, and is the reference for other backends. */
#ifndef ITRACE_ENGINE_STEP_STEP_H
#define ITRACE_ENGINE_STEP_STEP_H

struct backend;
struct engine;

struct backend *step_create(struct engine *engine);

#endif
