// The library itself, and what can't be opened.

#include "program.h"

void test_library(const struct places *places) {
    CHECK(ob_abi_version() == OB_ABI_VERSION);
    CHECK(strchr(ob_version(), '.') != NULL);
    CHECK(!ob_has_feature(0) && !ob_has_feature(1000));
    ob_string_free(NULL);
    ob_error_free(NULL);
    ob_close(NULL);
    ob_resource_free(NULL);
    ob_response_free(NULL);
    ob_task_free(NULL);
    ob_report_free(NULL);
    ob_exchange_free(NULL);

    ob_error *error = NULL;
    CHECK(ob_open("/dev/null/store", NULL, &error) == NULL);
    expect_error(error, OB_STORE_UNAVAILABLE, "storeUnavailable");
    CHECK(ob_open("/dev/null/store", NULL, NULL) == NULL);
    CHECK(ob_open("\xff", NULL, &error) == NULL);
    expect_error(error, OB_INVALID_ARGUMENT, "invalidArgument");
    ob_options options = OB_OPTIONS_INIT;
    options.size = 0;
    CHECK(ob_open(places->store, &options, &error) == NULL);
    expect_error(error, OB_INVALID_ARGUMENT, "invalidArgument");
    printf("library: %s\n", ob_version());
}
