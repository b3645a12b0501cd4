#ifndef C_MAPPED_FAULT_H
#define C_MAPPED_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Faults in mapped files, as ends of reading and not of the process.
///
/// A mapped file that is truncated, or whose disk fails, makes whoever reads the mapping get SIGBUS. Once the handler is
/// installed, a fault in a range that was added puts a page of zeros in the place that can't be read and marks the range; the
/// reader goes on, and looks at the mark before it trusts what it has read. libwayland does so for the shared memory of its
/// clients (wl_shm_buffer_begin_access). A fault anywhere else goes to the handler that was there before.

/// Installs the handler for SIGBUS, for the whole process, once. Returns false when it can't be installed.
bool mapped_fault_install(void);

/// Adds a range; nothing may fault in it before. Returns its number, or -1 when there is no room for another one: then a
/// fault in it is like one anywhere else.
int32_t mapped_fault_add(const void *start, size_t length);

/// Whether there was a fault in a range. Cheap; false for -1.
bool mapped_fault_has_occurred(int32_t number);

/// Removes a range, before it is unmapped. Nothing is done for -1.
void mapped_fault_remove(int32_t number);

#endif
