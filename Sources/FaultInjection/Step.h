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
    /// What a write covers.
    off_t offset;
    size_t byte_count;
    /// Whether a full disk makes it fail.
    bool takes_space;
} Step;

/// How a step goes on.
typedef enum { STEP_PROCEEDS, STEP_FAILS, STEP_IS_TORN } StepFate;

/// Counts the step and decides. From here to `step_end` no other thread takes one. A step that fails has ended already,
/// with `errno` set; one that is torn has to do its half and call `step_kill`. Where the program is killed it doesn't
/// return.
StepFate step_begin(const Step *step);

/// Lets other threads go on.
void step_end(void);

/// Ends the program at once.
_Noreturn void step_kill(void);

/// Whether syncing has to reach the disk: not in a program that is going to be killed. The kernel keeps what it
/// wrote, and a power cut is only played.
bool step_syncs_really(void);

#endif
