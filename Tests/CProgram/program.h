// What the parts of the test program share.
#ifndef PROGRAM_H
#define PROGRAM_H

#include <offline_bundles.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The places of the sample shop: what the command line names.
struct places {
    const char *store;   // A folder that doesn't exist yet.
    const char *first;   // The archive of 1.0.0.
    const char *second;  // The archive of 1.1.0.
    const char *site;    // The origin: http://127.0.0.1:port
    const char *root;    // The root of the publisher who has signed 1.1.0 at /signed/feed.json.
    bool has_network;    // Whether the library can ask it, which has 1.1.0 in its feed.
};

// Ends the program unless the condition holds.
#define CHECK(condition)                                                                 \
    do {                                                                                 \
        if (!(condition)) {                                                              \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);     \
            exit(1);                                                                     \
        }                                                                                \
    } while (0)

// Ends the program with the error's message unless there is none.
#define SUCCEEDS(call, error)                                                                              \
    do {                                                                                                   \
        if ((call) != OB_OK) {                                                                             \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, ob_error_message(error));         \
            exit(1);                                                                                       \
        }                                                                                                  \
        CHECK((error) == NULL);                                                                            \
    } while (0)

// The site's URL of a path. Valid until the next call on the thread.
const char *url_of(const struct places *places, const char *path);

// Checks the kind of an error, and that it has a message; frees it.
void expect_error(ob_error *error, ob_status status, const char *name);

// Checks that a text contains another; frees it.
void expect_text(char *document, const char *text);

// Checks that a report's document contains a text; frees the report.
void expect_report(ob_report *report, const char *text);

void test_library(const struct places *places);
void test_bundles(const struct places *places, ob_client *client);
void test_files(const struct places *places, ob_client *client);
void test_loads(const struct places *places, ob_client *client);
void test_rules(const struct places *places, ob_client *client);
void test_threads(const struct places *places, ob_client *client);
void test_network(const struct places *places);
void test_transport(const struct places *places);
void test_log(const struct places *places);
void test_storage(const struct places *places);
void test_trust(const struct places *places);
void test_close(const struct places *places, ob_client *client);
void test_close_in_callback(const struct places *places);
void test_damage(const struct places *places);
void test_waiting(const struct places *places);
void test_reopening(const struct places *places);

#endif
