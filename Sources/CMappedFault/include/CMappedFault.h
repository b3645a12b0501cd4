#ifndef C_MAPPED_FAULT_H
#define C_MAPPED_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Survives faults in mapped files.
///
/// Reading the mapping of a file that was truncated, or whose disk fails, raises SIGBUS. Once the handler is installed,
/// a fault in a range that was added maps a page of zeros over the page that can't be read, after many faults zeros
/// over the whole range, and marks the range. The reader goes on, and checks the mark before it trusts what it has
/// read. libwayland does the same for the shared memory of its clients (wl_shm_buffer_begin_access). A fault anywhere
/// else goes to the handler that was installed before.

/// Installs the handler for SIGBUS, for the whole process, once. Returns false when it can't be installed.
bool mapped_fault_install(void);

/// Adds a range, in which no fault may have occurred yet. Returns its number, or -1 when the table is full: a fault in
/// the range then goes to the earlier handler.
int32_t mapped_fault_add(const void *start, size_t length);

/// Whether there was a fault in a range. Cheap; false for -1.
bool mapped_fault_has_occurred(int32_t number);

/// Removes a range, before it is unmapped. Does nothing for -1.
void mapped_fault_remove(int32_t number);

#endif
