// The functions are implemented in Swift, in BundleCInterface; this file makes the compiler check the header as C.
#include "offline_bundles.h"
