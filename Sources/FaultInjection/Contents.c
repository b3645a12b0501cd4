// Replacements for the functions that change the contents and the size of files, and for those that make changes
// durable.

#include "Step.h"
#include "Undo.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/// Means the descriptor's own position.
static const off_t CURRENT = -1;

// MARK: - Writing

static size_t total(const struct iovec *parts, int count) {
    size_t sum = 0;
    for (int index = 0; index < count; index++) sum += parts[index].iov_len;
    return sum;
}

/// Where a write begins: appending ignores the position.
static off_t resolve(int descriptor, off_t offset, off_t size) {
    if (fcntl(descriptor, F_GETFL) & O_APPEND) return size;
    return offset == CURRENT ? lseek(descriptor, 0, SEEK_CUR) : offset;
}

static _Noreturn void tear(int descriptor, const struct iovec *parts, int count, off_t offset, size_t left) {
    for (int index = 0; index < count && left > 0; index++) {
        size_t length = parts[index].iov_len < left ? parts[index].iov_len : left;
        syscall(SYS_pwrite64, descriptor, parts[index].iov_base, length, offset);
        offset += (off_t)length;
        left -= length;
    }
    step_kill();
}

static ssize_t transfer(int descriptor, const struct iovec *parts, int count, off_t offset) {
    return offset == CURRENT ? syscall(SYS_writev, descriptor, parts, count)
                             : syscall(SYS_pwritev, descriptor, parts, count, offset, 0);
}

static ssize_t write_counting(int descriptor, const struct iovec *parts, int count, off_t offset) {
    Place place;
    struct stat status;
    size_t length = total(parts, count);
    bool is_step = length > 0 && place_of_descriptor(&place, descriptor) && fstat(descriptor, &status) == 0;
    if (!is_step) return transfer(descriptor, parts, count, offset);

    off_t start = resolve(descriptor, offset, status.st_size);
    bool grows = start + (off_t)length > status.st_size;
    Step step = {
        .operation = "write", .place = &place, .offset = start, .byte_count = length, .takes_space = grows
    };
    StepFate fate = step_begin(&step);
    if (fate == STEP_FAILS) return -1;
    if (fate == STEP_IS_TORN) tear(descriptor, parts, count, start, length / 2);
    undo_keep_contents(descriptor, start, (off_t)length);
    ssize_t result = transfer(descriptor, parts, count, offset);
    step_end();
    return result;
}

ssize_t write(int descriptor, const void *bytes, size_t length) {
    return write_counting(descriptor, &(struct iovec){(void *)bytes, length}, 1, CURRENT);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset) {
    return write_counting(descriptor, &(struct iovec){(void *)bytes, length}, 1, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off_t offset) {
    return pwrite(descriptor, bytes, length, offset);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    return write_counting(descriptor, parts, count, CURRENT);
}

ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
    return write_counting(descriptor, parts, count, offset);
}

ssize_t pwritev64(int descriptor, const struct iovec *parts, int count, off_t offset) {
    return pwritev(descriptor, parts, count, offset);
}

// MARK: - Copying

/// Begins a copy into a file. False when the call failed; `is_step` says whether there is one to end.
static bool copy_begins(const char *operation, int descriptor, off_t offset, size_t length, bool *is_step) {
    Place place;
    struct stat status;
    *is_step = length > 0 && place_of_descriptor(&place, descriptor) && fstat(descriptor, &status) == 0;
    if (!*is_step) return true;
    off_t start = resolve(descriptor, offset, status.st_size);
    Step step = {
        .operation = operation, .place = &place, .offset = start, .byte_count = length, .takes_space = true
    };
    StepFate fate = step_begin(&step);
    if (fate == STEP_IS_TORN) step_kill();
    if (fate == STEP_PROCEEDS) undo_keep_contents(descriptor, start, (off_t)length);
    return fate == STEP_PROCEEDS;
}

ssize_t copy_file_range(int in, off_t *in_offset, int out, off_t *out_offset, size_t length, unsigned flags) {
    bool is_step;
    if (!copy_begins("copy", out, out_offset ? *out_offset : CURRENT, length, &is_step)) return -1;
    ssize_t result = syscall(SYS_copy_file_range, in, in_offset, out, out_offset, length, flags);
    if (is_step) step_end();
    return result;
}

ssize_t sendfile(int out, int in, off_t *offset, size_t length) {
    bool is_step;
    if (!copy_begins("copy", out, CURRENT, length, &is_step)) return -1;
    ssize_t result = syscall(SYS_sendfile, out, in, offset, length);
    if (is_step) step_end();
    return result;
}

ssize_t sendfile64(int out, int in, off_t *offset, size_t length) {
    return sendfile(out, in, offset, length);
}

// MARK: - Sizes

int ftruncate(int descriptor, off_t size) {
    Place place;
    struct stat status;
    bool is_step = place_of_descriptor(&place, descriptor) && fstat(descriptor, &status) == 0;
    if (!is_step) return (int)syscall(SYS_ftruncate, descriptor, size);
    if (step_begin(&(Step){.operation = "resize", .place = &place}) == STEP_FAILS) return -1;
    undo_keep_contents(descriptor, size, status.st_size > size ? status.st_size - size : 0);
    int result = (int)syscall(SYS_ftruncate, descriptor, size);
    step_end();
    return result;
}

int ftruncate64(int descriptor, off_t size) {
    return ftruncate(descriptor, size);
}

int truncate(const char *path, off_t size) {
    int descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return -1;
    int result = ftruncate(descriptor, size);
    syscall(SYS_close, descriptor);
    return result;
}

int truncate64(const char *path, off_t size) {
    return truncate(path, size);
}

int fallocate(int descriptor, int mode, off_t offset, off_t length) {
    Place place;
    if (!place_of_descriptor(&place, descriptor)) return (int)syscall(SYS_fallocate, descriptor, mode, offset, length);
    Step step = {.operation = "allocate", .place = &place, .takes_space = true};
    if (step_begin(&step) == STEP_FAILS) return -1;
    // It may also punch a hole.
    undo_keep_contents(descriptor, offset, length);
    int result = (int)syscall(SYS_fallocate, descriptor, mode, offset, length);
    step_end();
    return result;
}

int fallocate64(int descriptor, int mode, off_t offset, off_t length) {
    return fallocate(descriptor, mode, offset, length);
}

int posix_fallocate(int descriptor, off_t offset, off_t length) {
    return fallocate(descriptor, 0, offset, length) == 0 ? 0 : errno;
}

int posix_fallocate64(int descriptor, off_t offset, off_t length) {
    return posix_fallocate(descriptor, offset, length);
}

// MARK: - Permissions, owners and times

/// Begins a change that a power cut doesn't undo. False when the call failed.
static bool attribute_begins(const char *operation, bool is_inside, const Place *place) {
    return !is_inside || step_begin(&(Step){.operation = operation, .place = place}) == STEP_PROCEEDS;
}

int fchmod(int descriptor, mode_t mode) {
    Place place;
    bool is_step = place_of_descriptor(&place, descriptor);
    if (!attribute_begins("chmod", is_step, &place)) return -1;
    int result = (int)syscall(SYS_fchmod, descriptor, mode);
    if (is_step) step_end();
    return result;
}

int fchmodat(int folder, const char *path, mode_t mode, int flags) {
    // The system call of this name has no flags, and none are used.
    if (flags != 0) {
        errno = ENOTSUP;
        return -1;
    }
    Place place;
    bool is_step = place_of_name(&place, folder, path);
    if (!attribute_begins("chmod", is_step, &place)) return -1;
    int result = (int)syscall(SYS_fchmodat, folder, path, mode);
    if (is_step) step_end();
    return result;
}

int chmod(const char *path, mode_t mode) { return fchmodat(AT_FDCWD, path, mode, 0); }

int fchown(int descriptor, uid_t owner, gid_t group) {
    Place place;
    bool is_step = place_of_descriptor(&place, descriptor);
    if (!attribute_begins("chown", is_step, &place)) return -1;
    int result = (int)syscall(SYS_fchown, descriptor, owner, group);
    if (is_step) step_end();
    return result;
}

static int set_times(
    bool is_step, const Place *place, int folder, const char *path, const struct timespec *times, int flags
) {
    if (!attribute_begins("utimes", is_step, place)) return -1;
    int result = (int)syscall(SYS_utimensat, folder, path, times, flags);
    if (is_step) step_end();
    return result;
}

int utimensat(int folder, const char *path, const struct timespec times[2], int flags) {
    Place place;
    bool is_step = place_of_name(&place, folder, path);
    return set_times(is_step, &place, folder, path, times, flags);
}

int futimens(int descriptor, const struct timespec times[2]) {
    Place place;
    bool is_step = place_of_descriptor(&place, descriptor);
    return set_times(is_step, &place, descriptor, NULL, times, 0);
}

// MARK: - Durability

static int sync_counting(long call, int descriptor) {
    Place place;
    if (!place_of_descriptor(&place, descriptor)) return (int)syscall(call, descriptor);
    if (step_begin(&(Step){.operation = "sync", .place = &place}) == STEP_FAILS) return -1;
    int result = step_syncs_really() ? (int)syscall(call, descriptor) : 0;
    if (result == 0 && call == SYS_syncfs) undo_forget_all();
    if (result == 0) undo_forget(descriptor, &place);
    step_end();
    return result;
}

int fsync(int descriptor) {
    return sync_counting(SYS_fsync, descriptor);
}

int fdatasync(int descriptor) {
    return sync_counting(SYS_fdatasync, descriptor);
}

int syncfs(int descriptor) {
    return sync_counting(SYS_syncfs, descriptor);
}
