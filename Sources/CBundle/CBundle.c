// The functions are implemented in Swift, in BundleCInterface. This file has the compiler check the header as C, and that
// the structures which programs were built with keep their layout.
#include "offline_bundles.h"

#define OB_CHECK(name, condition) typedef char ob_check_##name[(condition) ? 1 : -1]

OB_CHECK(options, sizeof(void *) != 8 || sizeof(ob_options) == 48);
// The first version ended here.
OB_CHECK(shell_version, sizeof(void *) != 8 || offsetof(ob_options, shell_version) == 32);
OB_CHECK(option_flags, offsetof(ob_options, flags) == sizeof(size_t));
OB_CHECK(cache_byte_count, sizeof(void *) != 8 || offsetof(ob_options, cache_byte_count) == 16);
OB_CHECK(field, sizeof(ob_field) == 2 * sizeof(void *));
OB_CHECK(request, sizeof(ob_request) == 8 * sizeof(void *));
OB_CHECK(request_content, offsetof(ob_request, content) == 5 * sizeof(void *));
OB_CHECK(load_callbacks, sizeof(ob_load_callbacks) == 4 * sizeof(void *));
