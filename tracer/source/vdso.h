/* The image of the vDSO, the library that the kernel maps into every program. */
#ifndef ITRACE_SOURCE_VDSO_H
#define ITRACE_SOURCE_VDSO_H

#define VDSO_PATH "[vdso]" /* in /proc/PID/maps */

/* Returns a descriptor of a file with the image of itrace's own vDSO, which the caller closes, or -1. The kernel has
 * one image for all 64-bit programs. */
int vdso_open(void);

#endif
