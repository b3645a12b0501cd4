#include "Place.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// Calls that are replaced in this library go directly to the kernel.

static const char *root;
static size_t root_length;

void place_set_root(const char *path) {
    root = path;
    root_length = strlen(path);
}

static bool is_inside(const Place *place) {
    return strncmp(place->path, root, root_length) == 0
        && (place->path[root_length] == '/' || place->path[root_length] == '\0');
}

/// The kernel knows the path of an open file, even after a rename.
static bool read_path(Place *place, int descriptor) {
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    long length = syscall(SYS_readlinkat, AT_FDCWD, link, place->path, sizeof place->path - 1);
    if (length < 0) return false;
    place->path[length] = '\0';
    return true;
}

bool place_of_descriptor(Place *place, int descriptor) {
    return root && read_path(place, descriptor) && is_inside(place);
}

bool place_of_name(Place *place, int folder, const char *path) {
    size_t end = path ? strlen(path) : 0;
    if (!root || end == 0 || end >= PATH_MAX) return false;
    while (end > 1 && path[end - 1] == '/') end--;
    size_t start = end;
    while (start > 0 && path[start - 1] != '/') start--;

    char parent[PATH_MAX] = ".";
    if (start > 0) {
        memcpy(parent, path, start);
        parent[start] = '\0';
    }
    // O_PATH, because closing an ordinary descriptor of a file releases the locks that the process has on it.
    int descriptor = (int)syscall(SYS_openat, folder, parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return false;
    bool is_known = read_path(place, descriptor);
    syscall(SYS_close, descriptor);

    size_t length = is_known ? strlen(place->path) : 0;
    if (!is_known || length + 1 + (end - start) >= PATH_MAX) return false;
    if (length > 1) place->path[length++] = '/';
    memcpy(place->path + length, path + start, end - start);
    place->path[length + end - start] = '\0';
    return is_inside(place);
}

bool place_exists(const Place *place) {
    struct stat status;
    return fstatat(AT_FDCWD, place->path, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

const char *place_relative(const Place *place) {
    return place->path[root_length] == '\0' ? "." : place->path + root_length + 1;
}
