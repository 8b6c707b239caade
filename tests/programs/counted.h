/* A function of known cost: see counted.S. */
#ifndef ITRACE_TESTS_PROGRAMS_COUNTED_H
#define ITRACE_TESTS_PROGRAMS_COUNTED_H

int counted(int n);

#endif
