// The functions are implemented in Swift, in BundleCInterface. This file has the compiler check the header as C, and that
// the structures which programs were built with keep their layout.
#include "offline_bundles.h"

#define OB_CHECK(name, condition) typedef char ob_check_##name[(condition) ? 1 : -1]

OB_CHECK(options, sizeof(void *) != 8 || sizeof(ob_options) == 112);
OB_CHECK(option_flags, offsetof(ob_options, flags) == sizeof(size_t));
OB_CHECK(cache_byte_count, sizeof(void *) != 8 || offsetof(ob_options, cache_byte_count) == 16);
OB_CHECK(shell_version, sizeof(void *) != 8 || offsetof(ob_options, shell_version) == 32);
OB_CHECK(log_level, sizeof(void *) != 8 || offsetof(ob_options, log_level) == 80);
OB_CHECK(roots, sizeof(void *) != 8 || offsetof(ob_options, roots) == 88);
OB_CHECK(groups, sizeof(void *) != 8 || offsetof(ob_options, groups) == 104);
OB_CHECK(root, sizeof(ob_root) == 4 * sizeof(void *));
OB_CHECK(network, sizeof(ob_network) == 8 * sizeof(void *) + 16);
OB_CHECK(connect_timeout, offsetof(ob_network, connect_timeout) == 8 * sizeof(void *));
OB_CHECK(transport, sizeof(ob_transport) == 4 * sizeof(void *));
OB_CHECK(field, sizeof(ob_field) == 2 * sizeof(void *));
OB_CHECK(request, sizeof(ob_request) == 8 * sizeof(void *));
OB_CHECK(request_content, offsetof(ob_request, content) == 5 * sizeof(void *));
OB_CHECK(load_callbacks, sizeof(ob_load_callbacks) == 4 * sizeof(void *));
OB_CHECK(install_result, sizeof(void *) != 8 || sizeof(ob_install_result) == 56);
OB_CHECK(check_result, sizeof(void *) != 8 || sizeof(ob_check_result) == 64);
OB_CHECK(update_result, sizeof(void *) != 8 || sizeof(ob_update_result) == 64);
OB_CHECK(release_result, sizeof(void *) != 8 || sizeof(ob_release_result) == 48);
OB_CHECK(damage_result, sizeof(void *) != 8 || sizeof(ob_damage_result) == 40);
OB_CHECK(quota_result, sizeof(void *) != 8 || sizeof(ob_quota_result) == 32);
OB_CHECK(prune_result, sizeof(void *) != 8 || sizeof(ob_prune_result) == 32);
OB_CHECK(precache_result, sizeof(void *) != 8 || sizeof(ob_precache_result) == 48);
