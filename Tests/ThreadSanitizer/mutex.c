// Tells ThreadSanitizer what a contended Synchronization.Mutex orders. On Linux the kernel passes such a mutex on
// (FUTEX_LOCK_PI), in functions of Swift's runtime that aren't instrumented, so that everything a contended mutex protects
// would be reported as a race. The way without contention is inlined into the program, and ThreadSanitizer sees it.
//
// scripts/sanitize preloads it into the tests. In a program without ThreadSanitizer it changes nothing.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SELF __attribute__((swift_context))
#define METHOD __attribute__((swiftcall))

// Of sanitizer/tsan_interface.h.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

// Methods of Synchronization._MutexHandle, at which the address of the mutex is `self`.
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

METHOD void lock(uint32_t thread, SELF void *mutex) __asm__(LOCK);
METHOD bool try_lock(SELF void *mutex) __asm__(TRY_LOCK);
METHOD void unlock(SELF void *mutex) __asm__(UNLOCK);

static METHOD void (*runtime_lock)(uint32_t, SELF void *);
static METHOD bool (*runtime_try_lock)(SELF void *);
static METHOD void (*runtime_unlock)(SELF void *);

__attribute__((constructor)) static void find_runtime(void) {
    *(void **)&runtime_lock = dlsym(RTLD_NEXT, LOCK);
    *(void **)&runtime_try_lock = dlsym(RTLD_NEXT, TRY_LOCK);
    *(void **)&runtime_unlock = dlsym(RTLD_NEXT, UNLOCK);
}

METHOD void lock(uint32_t thread, SELF void *mutex) {
    runtime_lock(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

METHOD bool try_lock(SELF void *mutex) {
    bool is_locked = runtime_try_lock(mutex);
    if (is_locked && __tsan_acquire) __tsan_acquire(mutex);
    return is_locked;
}

METHOD void unlock(SELF void *mutex) {
    if (__tsan_release) __tsan_release(mutex);
    runtime_unlock(mutex);
}
