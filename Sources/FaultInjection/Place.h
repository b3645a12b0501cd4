#ifndef PLACE_H
#define PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

/// The place of a call: an absolute path without symbolic links in its folder part.
typedef struct {
    char path[PATH_MAX];
} Place;

/// Determines the place of a name; false when it is outside `FAULT_ROOT`, or its folder doesn't exist.
bool place_of_name(Place *place, int folder, const char *path);

/// Determines the file or folder of a descriptor; false when it is outside `FAULT_ROOT`.
bool place_of_descriptor(Place *place, int descriptor);

/// Whether anything exists at it, even a dangling link.
bool place_exists(const Place *place);

/// The path relative to `FAULT_ROOT`.
const char *place_relative(const Place *place);

/// Sets `FAULT_ROOT`; until then every place is outside it.
void place_set_root(const char *path);

#endif
