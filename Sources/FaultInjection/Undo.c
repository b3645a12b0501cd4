#include "Undo.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef enum { CONTENTS, CREATED_FILE, CREATED_FOLDER, REMOVED_FILE, REMOVED_FOLDER, RENAMED } Kind;

/// One change that isn't durable yet.
typedef struct {
    Kind kind;
    bool is_durable;
    /// For a change of contents: the file, the previous bytes of the range, and the previous size.
    size_t file;
    void *bytes;
    off_t offset, byte_count, size;
    /// For a change of names. The second one is the new name of a rename.
    char *path, *new_path;
    /// The number of the second name that the removed or replaced file has, or 0.
    long aside;
} Change;

/// A file whose contents have changed, open for as long as the program runs. Closing it would release the locks that
/// the program has on it (fcntl(2)), on which SQLite depends; and while it is open no other file gets its inode number.
typedef struct {
    int descriptor;
    dev_t device;
    ino_t number;
} File;

static bool is_enabled;
static char aside_folder[PATH_MAX];
static long last_aside, pending_aside;
static Change *changes;
static size_t change_count, change_capacity;
static File *files;
static size_t file_count, file_capacity;

/// Makes room for one more; a test program that is out of memory ends.
static void *reserve(void *elements, size_t count, size_t *capacity, size_t element_size) {
    if (count < *capacity) return elements;
    *capacity = *capacity * 2 + 64;
    void *larger = realloc(elements, *capacity * element_size);
    if (!larger) abort();
    return larger;
}

static Change *add(Kind kind) {
    changes = reserve(changes, change_count, &change_capacity, sizeof *changes);
    Change *change = &changes[change_count++];
    *change = (Change){.kind = kind};
    return change;
}

void undo_enable(const char *root) {
    is_enabled = true;
    snprintf(aside_folder, sizeof aside_folder, "%s.aside", root);
    syscall(SYS_mkdirat, AT_FDCWD, aside_folder, 0755);
}

static void aside_path(char *path, size_t size, long number) {
    snprintf(path, size, "%s/%ld", aside_folder, number);
}

static bool find_file(const struct stat *status, size_t *index) {
    for (*index = 0; *index < file_count; (*index)++) {
        if (files[*index].device == status->st_dev && files[*index].number == status->st_ino) return true;
    }
    return false;
}

/// Opened again: the program's own descriptor may be write-only, and gets closed.
static bool open_file(int descriptor, const struct stat *status, size_t *index) {
    if (find_file(status, index)) return true;
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    int opened = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
    if (opened < 0) return false;
    files = reserve(files, file_count, &file_capacity, sizeof *files);
    *index = file_count;
    files[file_count++] = (File){opened, status->st_dev, status->st_ino};
    return true;
}

void undo_keep_contents(int descriptor, off_t offset, off_t byte_count) {
    struct stat status;
    size_t file;
    if (!is_enabled || fstat(descriptor, &status) != 0 || !open_file(descriptor, &status, &file)) return;
    Change *change = add(CONTENTS);
    change->file = file;
    change->size = status.st_size;
    change->offset = offset;
    off_t present = status.st_size > offset ? status.st_size - offset : 0;
    change->byte_count = present < byte_count ? present : byte_count;
    if (change->byte_count == 0) return;
    change->bytes = malloc((size_t)change->byte_count);
    if (!change->bytes) abort();
    long count = syscall(SYS_pread64, files[file].descriptor, change->bytes, change->byte_count, change->offset);
    if (count != change->byte_count) abort();
}

void undo_keep_aside(const Place *place) {
    if (!is_enabled) return;
    char path[PATH_MAX + 32];
    aside_path(path, sizeof path, last_aside + 1);
    pending_aside = syscall(SYS_linkat, AT_FDCWD, place->path, AT_FDCWD, path, 0) == 0 ? ++last_aside : 0;
}

void undo_note_creation(const Place *place, bool is_folder) {
    if (is_enabled) add(is_folder ? CREATED_FOLDER : CREATED_FILE)->path = strdup(place->path);
}

void undo_note_removal(const Place *place, bool is_folder) {
    if (!is_enabled) return;
    Change *change = add(is_folder ? REMOVED_FOLDER : REMOVED_FILE);
    change->path = strdup(place->path);
    change->aside = is_folder ? 0 : pending_aside;
}

void undo_note_rename(const Place *from, const Place *to) {
    if (!is_enabled) return;
    Change *change = add(RENAMED);
    change->path = strdup(from->path);
    change->new_path = strdup(to->path);
    change->aside = pending_aside;
}

static void forget(Change *change) {
    if (change->is_durable) return;
    change->is_durable = true;
    free(change->bytes);
    free(change->path);
    free(change->new_path);
    if (change->aside == 0) return;
    char path[PATH_MAX + 32];
    aside_path(path, sizeof path, change->aside);
    syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

/// Whether the name that the change made or removed is in the folder.
static bool is_in(const char *folder, const Change *change) {
    const char *path = change->kind == RENAMED ? change->new_path : change->path;
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/' && !strchr(path + length + 1, '/');
}

void undo_forget(int descriptor, const Place *place) {
    struct stat status;
    if (!is_enabled || fstat(descriptor, &status) != 0) return;
    size_t file;
    bool is_known = find_file(&status, &file);
    for (size_t index = 0; index < change_count; index++) {
        Change *change = &changes[index];
        if (change->is_durable) continue;
        bool is_synced = change->kind == CONTENTS ? is_known && change->file == file : is_in(place->path, change);
        if (is_synced) forget(change);
    }
}

void undo_forget_all(void) {
    for (size_t index = 0; index < change_count; index++) forget(&changes[index]);
}

static void restore_contents(const Change *change) {
    int descriptor = files[change->file].descriptor;
    if (change->bytes) syscall(SYS_pwrite64, descriptor, change->bytes, change->byte_count, change->offset);
    syscall(SYS_ftruncate, descriptor, change->size);
}

static void restore_aside(const Change *change, const char *path) {
    if (change->aside == 0) return;
    char aside[PATH_MAX + 32];
    aside_path(aside, sizeof aside, change->aside);
    syscall(SYS_renameat2, AT_FDCWD, aside, AT_FDCWD, path, 0);
}

static void restore_name(const Change *change) {
    switch (change->kind) {
    case CREATED_FILE: syscall(SYS_unlinkat, AT_FDCWD, change->path, 0); break;
    case CREATED_FOLDER: syscall(SYS_unlinkat, AT_FDCWD, change->path, AT_REMOVEDIR); break;
    case REMOVED_FILE: restore_aside(change, change->path); break;
    case REMOVED_FOLDER: syscall(SYS_mkdirat, AT_FDCWD, change->path, 0755); break;
    case RENAMED:
        syscall(SYS_renameat2, AT_FDCWD, change->new_path, AT_FDCWD, change->path, 0);
        restore_aside(change, change->new_path);
        break;
    case CONTENTS: break;
    }
}

void undo_all(bool including_names) {
    for (size_t index = change_count; index > 0; index--) {
        const Change *change = &changes[index - 1];
        if (change->is_durable) continue;
        if (change->kind == CONTENTS) restore_contents(change);
        else if (including_names) restore_name(change);
    }
}
