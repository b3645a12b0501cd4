// zstd's functions in C, as `zstd.h` and `zstd_errors.h` declare them: on Apple's systems, which have no library of them, from zstd's
// own Swift package, elsewhere from the system's library.
#if canImport(libzstd)
    @_exported public import libzstd
    @_exported public import libzstd.errors
#else
    @_exported public import CZstd
#endif
