#ifndef C_ALLOCATION_COUNT_H
#define C_ALLOCATION_COUNT_H

#include <stdint.h>

/// How often this process has asked for heap memory. Counts on Linux with glibc; elsewhere it stays 0.
uint64_t allocation_count(void);

#endif
