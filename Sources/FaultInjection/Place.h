#ifndef PLACE_H
#define PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

/// Where a call works: an absolute path without symbolic links in its folder part.
typedef struct {
    char path[PATH_MAX];
} Place;

/// Finds out where a name is; false when that is outside of `FAULT_ROOT`, or its folder doesn't exist.
bool place_of_name(Place *place, int folder, const char *path);

/// Finds out which file or folder a descriptor has open; false when it is outside of `FAULT_ROOT`.
bool place_of_descriptor(Place *place, int descriptor);

/// Whether there is something at it, if only a dangling link.
bool place_exists(const Place *place);

/// The path relative to `FAULT_ROOT`.
const char *place_relative(const Place *place);

/// Sets `FAULT_ROOT`; until then every place is outside.
void place_set_root(const char *path);

#endif
