/* The translate backend: runs copies of the program's code in which each block counts itself, at nearly native speed.
 * README.md describes it. */
#ifndef ITRACE_ENGINE_TRANSLATE_TRANSLATE_H
#define ITRACE_ENGINE_TRANSLATE_TRANSLATE_H

struct backend;
struct engine;

struct backend *translate_create(struct engine *engine);

#endif
