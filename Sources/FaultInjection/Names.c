// Replacements for the functions that make, remove and rename files, folders and links.

#include "Step.h"
#include "Undo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

// MARK: - Opening

/// A file that is emptied may have been durable: its contents are kept first.
static void keep_emptied(const Place *place) {
    int descriptor = (int)syscall(SYS_openat, AT_FDCWD, place->path, O_RDWR | O_CLOEXEC);
    struct stat status;
    if (descriptor < 0) return;
    if (fstat(descriptor, &status) == 0) undo_keep_contents(descriptor, 0, status.st_size);
    syscall(SYS_close, descriptor);
}

static int open_counting(int folder, const char *path, int flags, mode_t mode) {
    Place place;
    bool may_change = (flags & (O_CREAT | O_TRUNC)) != 0 && place_of_name(&place, folder, path);
    bool exists = may_change && place_exists(&place);
    bool is_step = may_change && (exists ? (flags & O_TRUNC) != 0 : (flags & O_CREAT) != 0);
    if (!is_step) return (int)syscall(SYS_openat, folder, path, flags, mode);

    Step step = {.operation = exists ? "empty" : "create", .place = &place, .takes_space = !exists};
    if (step_begin(&step) == STEP_FAILS) return -1;
    if (exists) keep_emptied(&place);
    int descriptor = (int)syscall(SYS_openat, folder, path, flags, mode);
    if (descriptor >= 0 && !exists) undo_note_creation(&place, false);
    step_end();
    return descriptor;
}

/// The argument that is passed only when a file may be made.
#define MODE(flags, mode)                                                 \
    mode_t mode = 0;                                                      \
    if (((flags) & O_CREAT) || ((flags) & O_TMPFILE) == O_TMPFILE) {      \
        va_list arguments;                                                \
        va_start(arguments, flags);                                       \
        mode = (mode_t)va_arg(arguments, int);                            \
        va_end(arguments);                                                \
    }

int open(const char *path, int flags, ...) {
    MODE(flags, mode)
    return open_counting(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    MODE(flags, mode)
    return open_counting(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
    MODE(flags, mode)
    return open_counting(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...) {
    MODE(flags, mode)
    return open_counting(folder, path, flags, mode);
}

int creat(const char *path, mode_t mode) {
    return open_counting(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

int creat64(const char *path, mode_t mode) {
    return creat(path, mode);
}

// MARK: - Making

int mkdirat(int folder, const char *path, mode_t mode) {
    Place place;
    bool is_step = place_of_name(&place, folder, path) && !place_exists(&place);
    if (!is_step) return (int)syscall(SYS_mkdirat, folder, path, mode);
    if (step_begin(&(Step){.operation = "mkdir", .place = &place, .takes_space = true}) == STEP_FAILS) return -1;
    int result = (int)syscall(SYS_mkdirat, folder, path, mode);
    if (result == 0) undo_note_creation(&place, true);
    step_end();
    return result;
}

int mkdir(const char *path, mode_t mode) {
    return mkdirat(AT_FDCWD, path, mode);
}

int symlinkat(const char *content, int folder, const char *path) {
    Place place;
    bool is_step = place_of_name(&place, folder, path) && !place_exists(&place);
    if (!is_step) return (int)syscall(SYS_symlinkat, content, folder, path);
    if (step_begin(&(Step){.operation = "symlink", .place = &place, .takes_space = true}) == STEP_FAILS) return -1;
    int result = (int)syscall(SYS_symlinkat, content, folder, path);
    if (result == 0) undo_note_creation(&place, false);
    step_end();
    return result;
}

int symlink(const char *content, const char *path) {
    return symlinkat(content, AT_FDCWD, path);
}

int linkat(int folder, const char *path, int new_folder, const char *new_path, int flags) {
    Place place, target;
    bool is_step = place_of_name(&target, new_folder, new_path) && !place_exists(&target);
    if (!is_step) return (int)syscall(SYS_linkat, folder, path, new_folder, new_path, flags);
    bool is_inside = place_of_name(&place, folder, path);
    Step step = {.operation = "link", .place = is_inside ? &place : &target, .target = &target, .takes_space = true};
    if (step_begin(&step) == STEP_FAILS) return -1;
    int result = (int)syscall(SYS_linkat, folder, path, new_folder, new_path, flags);
    if (result == 0) undo_note_creation(&target, false);
    step_end();
    return result;
}

int link(const char *path, const char *new_path) {
    return linkat(AT_FDCWD, path, AT_FDCWD, new_path, 0);
}

// MARK: - Removing

int unlinkat(int folder, const char *path, int flags) {
    Place place;
    bool is_step = place_of_name(&place, folder, path) && place_exists(&place);
    if (!is_step) return (int)syscall(SYS_unlinkat, folder, path, flags);
    bool is_folder = (flags & AT_REMOVEDIR) != 0;
    if (step_begin(&(Step){.operation = is_folder ? "rmdir" : "unlink", .place = &place}) == STEP_FAILS) return -1;
    if (!is_folder) undo_keep_aside(&place);
    int result = (int)syscall(SYS_unlinkat, folder, path, flags);
    if (result == 0) undo_note_removal(&place, is_folder);
    step_end();
    return result;
}

int unlink(const char *path) {
    return unlinkat(AT_FDCWD, path, 0);
}

int rmdir(const char *path) {
    return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

int remove(const char *path) {
    struct stat status;
    bool is_folder = lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
    return is_folder ? rmdir(path) : unlink(path);
}

// MARK: - Renaming

int renameat2(int folder, const char *path, int new_folder, const char *new_path, unsigned flags) {
    Place place, target;
    bool leaves = place_of_name(&place, folder, path);
    bool arrives = place_of_name(&target, new_folder, new_path);
    if (!leaves && !arrives) return (int)syscall(SYS_renameat2, folder, path, new_folder, new_path, flags);
    Step step = {
        .operation = "rename", .place = leaves ? &place : &target, .target = leaves && arrives ? &target : NULL
    };
    if (step_begin(&step) == STEP_FAILS) return -1;
    if (arrives) undo_keep_aside(&target);
    int result = (int)syscall(SYS_renameat2, folder, path, new_folder, new_path, flags);
    if (result == 0 && leaves && arrives) undo_note_rename(&place, &target);
    step_end();
    return result;
}

int renameat(int folder, const char *path, int new_folder, const char *new_path) {
    return renameat2(folder, path, new_folder, new_path, 0);
}

int rename(const char *path, const char *new_path) {
    return renameat2(AT_FDCWD, path, AT_FDCWD, new_path, 0);
}
