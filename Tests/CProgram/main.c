// Drives every function of offline_bundles.h as a program in C does.
//
// usage: program STORE ARCHIVE ARCHIVE SITE ROOT: a folder for the store, which doesn't exist; the sample shop's archives 1.0.0
// and 1.1.0; its origin, which publishes 1.1.0 with and without signatures; and the publisher's root. Prints a line for each part.

#include "program.h"

const char *url_of(const struct places *places, const char *path) {
    static _Thread_local char url[512];
    snprintf(url, sizeof url, "%s%s", places->site, path);
    return url;
}

void expect_error(ob_error *error, ob_status status, const char *name) {
    CHECK(error != NULL);
    if (ob_error_status(error) != status) fprintf(stderr, "%s\n", ob_error_message(error));
    CHECK(ob_error_status(error) == status);
    CHECK(strcmp(ob_error_name(error), name) == 0);
    CHECK(strlen(ob_error_message(error)) > 0);
    ob_error_free(error);
}

void expect_text(char *document, const char *text) {
    CHECK(document != NULL);
    if (strstr(document, text) == NULL) fprintf(stderr, "%s isn't in %s\n", text, document);
    CHECK(strstr(document, text) != NULL);
    ob_string_free(document);
}

void expect_report(ob_report *report, const char *text) {
    CHECK(report != NULL);
    const char *document = ob_report_json(report);
    if (strstr(document, text) == NULL) fprintf(stderr, "%s isn't in %s\n", text, document);
    CHECK(strstr(document, text) != NULL);
    ob_report_free(report);
}

int main(int count, char **arguments) {
    if (count != 6) {
        fprintf(stderr, "usage: %s STORE ARCHIVE ARCHIVE SITE ROOT\n", arguments[0]);
        return 64;
    }
    struct places places = {arguments[1], arguments[2], arguments[3], arguments[4], arguments[5],
                            ob_has_feature(OB_FEATURE_NETWORK)};
    test_library(&places);
    ob_options options = OB_OPTIONS_INIT;
    options.flags = OB_DEVELOPMENT;
    options.cache_byte_count = 16 << 20;
    ob_error *error = (ob_error *)&places;
    ob_client *client = ob_open(places.store, &options, &error);
    CHECK(client != NULL && error == NULL);
    test_bundles(&places, client);
    test_files(&places, client);
    test_loads(&places, client);
    test_rules(&places, client);
    test_threads(&places, client);
    test_network(&places);
    test_transport(&places);
    test_log(&places);
    test_storage(&places);
    test_trust(&places);
    test_close(&places, client);
    test_close_in_callback(&places);
    test_damage(&places);
    test_waiting(&places);
    test_reopening(&places);
    printf("done, %s network\n", places.has_network ? "with" : "without");
    return 0;
}
