// Measures look-ups through the C interface.
//
// usage: resolve STORE ARCHIVE COUNT: installs an archive whose files are f/0.js to f/COUNT-1.js, below
// https://m.example.com/shop/, resolves each once, which compares it with its digest, and then, with the release, a thousand
// of them again and again, and 64,000 from all over the store, in random order. Prints the median of some rounds, in nanoseconds
// per call, and the time of opening the store.

#include <offline_bundles.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { round_count = 15, url_length = 64 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int compare(const void *one, const void *other) {
    double difference = *(const double *)one - *(const double *)other;
    return (difference > 0) - (difference < 0);
}

static ob_client *opened(const char *store) {
    ob_error *error = NULL;
    ob_client *client = ob_open(store, NULL, &error);
    if (client == NULL) {
        fprintf(stderr, "%s\n", ob_error_message(error));
        exit(1);
    }
    return client;
}

// The median time of resolving a URL and releasing the resource, in nanoseconds.
static double measure(ob_client *client, char (*urls)[url_length], int count) {
    const int repetition_count = 64000 / count > 0 ? 64000 / count : 1;
    double times[round_count];
    for (int round = 0; round < round_count; round += 1) {
        double start = now();
        for (int repetition = 0; repetition < repetition_count; repetition += 1) {
            for (int i = 0; i < count; i += 1) {
                ob_resource *resource = ob_resolve(client, urls[i]);
                if (resource == NULL) exit(2);
                ob_resource_free(resource);
            }
        }
        times[round] = (now() - start) / repetition_count / count;
    }
    qsort(times, round_count, sizeof *times, compare);
    return times[round_count / 2];
}

int main(int argument_count, char **arguments) {
    if (argument_count != 4) return 64;
    const int count = atoi(arguments[3]);
    ob_error *error = NULL;
    ob_client *client = opened(arguments[1]);
    if (ob_seed(client, arguments[2], NULL, &error) != OB_OK) {
        fprintf(stderr, "%s\n", ob_error_message(error));
        return 1;
    }
    ob_close(client);
    double start = now();
    client = opened(arguments[1]);
    double opening = now() - start;

    char(*urls)[url_length] = malloc((size_t)count * sizeof *urls);
    for (int i = 0; i < count; i += 1) snprintf(urls[i], url_length, "https://m.example.com/shop/f/%d.js", i);
    srand(1);
    for (int i = count - 1; i > 0; i -= 1) {
        char kept[url_length];
        int other = rand() % (i + 1);
        memcpy(kept, urls[i], url_length);
        memcpy(urls[i], urls[other], url_length);
        memcpy(urls[other], kept, url_length);
    }
    measure(client, urls, count);
    printf("the same 1000 of %d files: %.0f ns\n", count, measure(client, urls, count < 1000 ? count : 1000));
    printf("from all over %d files: %.0f ns\n", count, measure(client, urls, count < 64000 ? count : 64000));
    printf("ob_open: %.1f ms\n", opening / 1e6);
    ob_close(client);
    free(urls);
    return 0;
}
