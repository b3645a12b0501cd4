#include "CMappedFault.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

// A store maps two files for each version, one for each coded form of a content, and one for each response that is
// being sent from the cache. Unused parts of the table take no memory.
#define RANGE_COUNT (1 << 16)

// After this many faults a range is no longer replaced page by page.
#define FAULTS_BY_PAGE 64

// A place is taken while its start isn't 0. Adding a range claims the place first and sets the start last.
struct range {
    atomic_bool is_claimed;
    atomic_uint fault_count;
    atomic_uintptr_t start;
    atomic_size_t length;
};

static struct range ranges[RANGE_COUNT];
// All ranges are at places below this number.
static atomic_int_fast32_t end_of_ranges;
// Few places below this number are free.
static atomic_int_fast32_t first_free_place;

static struct sigaction previous;
static uintptr_t page_size;
static bool is_installed;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// The range that contains an address. Uses atomic loads only: this runs in the signal handler, concurrently with
// threads that add and remove ranges.
static struct range *range_at(uintptr_t address) {
    int_fast32_t end = atomic_load_explicit(&end_of_ranges, memory_order_acquire);
    for (int_fast32_t number = 0; number < end; number++) {
        struct range *range = &ranges[number];
        uintptr_t start = atomic_load_explicit(&range->start, memory_order_acquire);
        if (start == 0 || address < start) continue;
        size_t length = atomic_load_explicit(&range->length, memory_order_relaxed);
        if (address - start >= length) continue;
        // Another range may have taken the place between the two loads; a range that faults isn't removed in the
        // meantime.
        if (atomic_load_explicit(&range->start, memory_order_acquire) == start) return range;
    }
    return NULL;
}

// mmap(2) isn't in POSIX's list of async-signal-safe functions, but is a bare system call on Linux and Darwin.
static bool put_zeros(uintptr_t start, uintptr_t end) {
    return mmap((void *)start, end - start, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

// Maps zeros over the page that can't be read. Each such page splits the mapping, and a process may have a limited
// number of mappings (vm.max_map_count): after many faults in one range, the rest of the range is replaced in one
// piece.
static bool replace_page(struct range *range, uintptr_t address) {
    uintptr_t page = address & ~(page_size - 1);
    if (atomic_fetch_add_explicit(&range->fault_count, 1, memory_order_seq_cst) < FAULTS_BY_PAGE)
        return put_zeros(page, page + page_size);
    uintptr_t start = atomic_load_explicit(&range->start, memory_order_relaxed);
    size_t length = atomic_load_explicit(&range->length, memory_order_relaxed);
    return put_zeros(start, (start + length + page_size - 1) & ~(page_size - 1));
}

static void handle(int signal_number, siginfo_t *info, void *context) {
    (void)context;
    int saved_errno = errno;
    // 0 and below: another process has sent the signal, and there is no address.
    bool is_fault = info != NULL && info->si_code > 0;
    struct range *range = is_fault ? range_at((uintptr_t)info->si_addr) : NULL;
    // Counts first: a thread that sees the zeros also sees the count.
    if (range == NULL || !replace_page(range, (uintptr_t)info->si_addr)) {
        sigaction(SIGBUS, &previous, NULL);
        // A fault recurs when this returns; a signal that was sent has to be raised again.
        if (!is_fault) raise(signal_number);
    }
    errno = saved_errno;
}

static void install(void) {
    page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
    struct sigaction action = {0};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&action.sa_mask);
    is_installed = sigaction(SIGBUS, &action, &previous) == 0;
}

bool mapped_fault_install(void) {
    pthread_once(&once, install);
    return is_installed;
}

// Claims a free place from `first` on. Returns its number, or -1 when there is none.
static int32_t claim_place(int32_t first) {
    for (int32_t number = first; number < RANGE_COUNT; number++) {
        if (atomic_load_explicit(&ranges[number].is_claimed, memory_order_relaxed)) continue;
        bool claimed = false;
        if (atomic_compare_exchange_strong(&ranges[number].is_claimed, &claimed, true)) return number;
    }
    return -1;
}

int32_t mapped_fault_add(const void *start, size_t length) {
    if (start == NULL || length == 0) return -1;
    // The lowest places, so that the handler has few to search.
    int_fast32_t first = atomic_load_explicit(&first_free_place, memory_order_relaxed);
    int32_t number = claim_place((int32_t)first);
    if (number < 0) number = claim_place(0);
    if (number < 0) return -1;
    atomic_compare_exchange_strong(&first_free_place, &first, number + 1);
    struct range *range = &ranges[number];
    atomic_store_explicit(&range->fault_count, 0, memory_order_relaxed);
    atomic_store_explicit(&range->length, length, memory_order_relaxed);
    atomic_store_explicit(&range->start, (uintptr_t)start, memory_order_release);
    int_fast32_t end = atomic_load_explicit(&end_of_ranges, memory_order_relaxed);
    while (end <= number && !atomic_compare_exchange_weak(&end_of_ranges, &end, number + 1)) {
    }
    return number;
}

bool mapped_fault_has_occurred(int32_t number) {
    if (number < 0 || number >= RANGE_COUNT) return false;
    return atomic_load_explicit(&ranges[number].fault_count, memory_order_acquire) > 0;
}

void mapped_fault_remove(int32_t number) {
    if (number < 0 || number >= RANGE_COUNT) return;
    atomic_store_explicit(&ranges[number].start, 0, memory_order_release);
    atomic_store_explicit(&ranges[number].is_claimed, false, memory_order_release);
    int_fast32_t first = atomic_load_explicit(&first_free_place, memory_order_relaxed);
    while (number < first && !atomic_compare_exchange_weak(&first_free_place, &first, number)) {
    }
}
