/// What the package's modules use of Foundation, in the C library without the network: there it stands in for Foundation,
/// which would be four times as large as all the rest. Names and behaviour are Foundation's, as far as the modules need
/// them. `CompactSQLite` stands in for GRDB and `CompactCrypto` for Crypto in the same way.
@_exported import Dispatch

#if canImport(Glibc)
    @_exported import Glibc
#else
    @_exported import Darwin
#endif
