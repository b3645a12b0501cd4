#ifndef STEP_H
#define STEP_H

#include "Place.h"

#include <stdbool.h>
#include <sys/types.h>

/// A call that is about to change the watched folder or to make a change durable.
typedef struct {
    const char *operation;
    const Place *place;
    /// The other name of a rename or a link.
    const Place *target;
    /// The bytes that a write covers.
    off_t offset;
    size_t byte_count;
    /// Whether it fails on a full disk.
    bool takes_space;
} Step;

/// The fate of a step.
typedef enum { STEP_PROCEEDS, STEP_FAILS, STEP_IS_TORN } StepFate;

/// Counts the step and decides. From here to `step_end` no other thread enters a step. A step that fails has already
/// ended, with `errno` set; one that is torn has to do its half and call `step_kill`. If the program is killed, this
/// doesn't return.
StepFate step_begin(const Step *step);

/// Admits other threads.
void step_end(void);

/// Ends the program at once.
_Noreturn void step_kill(void);

/// Whether syncing has to reach the disk: not in a program that is going to be killed. The kernel keeps what it wrote,
/// and a power cut is only simulated.
bool step_syncs_really(void);

#endif
