#include "Step.h"

#include "Undo.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef enum { COUNT, KILL, TEAR, CUT_POWER, LOSE_DATA, FAIL_ONCE, FAIL_FULL } Action;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static Action action = COUNT;
static int failure;
static long fatal_step;
static long count;
static int journal = -1;

static const struct {
    const char *name;
    Action action;
    int failure;
} actions[] = {
    {"kill", KILL, 0},
    {"torn", TEAR, 0},
    {"powercut", CUT_POWER, 0},
    {"dataloss", LOSE_DATA, 0},
    {"EIO", FAIL_ONCE, EIO},
    {"ENOSPC", FAIL_FULL, ENOSPC},
    {"EDQUOT", FAIL_FULL, EDQUOT},
};

static _Noreturn void refuse(const char *variable) {
    fprintf(stderr, "FaultInjection: %s is missing or wrong; see FaultInjection.h\n", variable);
    _exit(70);
}

static void read_action(const char *name) {
    size_t index = 0;
    size_t number = sizeof actions / sizeof actions[0];
    while (index < number && strcmp(actions[index].name, name) != 0) index++;
    if (index == number) refuse("FAULT_ACTION");
    action = actions[index].action;
    failure = actions[index].failure;
    const char *at = getenv("FAULT_AT");
    if (!at) refuse("FAULT_AT");
    fatal_step = atol(at);
}

__attribute__((constructor)) static void read_environment(void) {
    const char *root = getenv("FAULT_ROOT");
    if (!root) return;
    const char *log = getenv("FAULT_LOG");
    if (!log) refuse("FAULT_LOG");
    journal = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (root[0] != '/' || journal < 0) refuse(journal < 0 ? "FAULT_LOG" : "FAULT_ROOT");
    const char *name = getenv("FAULT_ACTION");
    if (name) read_action(name);
    if (action == CUT_POWER || action == LOSE_DATA) undo_enable(root);
    // Last, because calls are counted from here on.
    place_set_root(root);
}

static void write_down(const Step *step) {
    char line[2 * PATH_MAX + 128];
    char detail[PATH_MAX + 64] = "";
    if (step->target) {
        snprintf(detail, sizeof detail, "\t%s", place_relative(step->target));
    } else if (step->byte_count > 0) {
        snprintf(detail, sizeof detail, "\t%lld+%zu", (long long)step->offset, step->byte_count);
    }
    const char *path = place_relative(step->place);
    int length = snprintf(line, sizeof line, "%ld\t%s\t%s%s\n", count, step->operation, path, detail);
    syscall(SYS_write, journal, line, (size_t)length);
}

_Noreturn void step_kill(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

static bool fails(const Step *step) {
    if (action != FAIL_ONCE && action != FAIL_FULL) return false;
    return count == fatal_step || (action == FAIL_FULL && fatal_step > 0 && count > fatal_step && step->takes_space);
}

StepFate step_begin(const Step *step) {
    pthread_mutex_lock(&mutex);
    count++;
    write_down(step);
    if (fails(step)) {
        pthread_mutex_unlock(&mutex);
        errno = failure;
        return STEP_FAILS;
    }
    if (count != fatal_step || action == COUNT || action == FAIL_ONCE || action == FAIL_FULL) return STEP_PROCEEDS;
    if (action == TEAR && step->byte_count > 1) return STEP_IS_TORN;
    if (action == CUT_POWER) undo_all(true);
    if (action == LOSE_DATA) undo_all(false);
    step_kill();
}

void step_end(void) {
    pthread_mutex_unlock(&mutex);
}

bool step_syncs_really(void) {
    return action == COUNT;
}
