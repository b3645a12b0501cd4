#include "CAllocationCount.h"

#include <stdatomic.h>
#include <stddef.h>

static atomic_uint_fast64_t count;

uint64_t allocation_count(void) { return atomic_load_explicit(&count, memory_order_relaxed); }

#if defined(__GLIBC__)

// What an executable defines comes before the C library's own functions of that name, for the Swift runtime too.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t number, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

#include <errno.h>

static void increment(void) { atomic_fetch_add_explicit(&count, 1, memory_order_relaxed); }

void *malloc(size_t size) {
    increment();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    increment();
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
    increment();
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    increment();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    increment();
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}

#endif
