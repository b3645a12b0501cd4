// What this project uses of Darwin, the C library of Apple's systems, and Linux's lacks or has with another type, as its headers and
// manual pages have it; see scripts/typecheck-apple. All else is Linux's. Nothing of it is run, so that constants have any value.

// To this one Swift assigns `timespec`.
@_exported public import Dispatch
@_exported public import Glibc

/// fcntl(2)
public var F_ALLOCATEALL: Int32 { 0 }
/// fcntl(2)
public var F_FULLFSYNC: Int32 { 0 }
/// fcntl(2)
public var F_PEOFPOSMODE: Int32 { 0 }
/// fcntl(2)
public var F_PREALLOCATE: Int32 { 0 }
/// getrlimit(2): an enumeration on Linux.
public var RLIMIT_NOFILE: Int32 { 0 }

/// fcntl(2)
public struct fstore_t {
    /// fcntl(2)
    public var fst_flags: UInt32
    /// fcntl(2)
    public var fst_posmode: Int32
    /// fcntl(2)
    public var fst_offset: off_t
    /// fcntl(2)
    public var fst_length: off_t
    /// fcntl(2)
    public var fst_bytesalloc: off_t

    /// fcntl(2)
    public init(fst_flags: UInt32, fst_posmode: Int32, fst_offset: off_t, fst_length: off_t, fst_bytesalloc: off_t) {
        fatalError("not run")
    }
}

extension stat {
    /// stat(2)
    public var st_mtimespec: timespec { fatalError("not run") }
}

/// pthread.h: an opaque structure.
public struct _opaque_pthread_t {}

/// pthread.h
public typealias pthread_t = UnsafeMutablePointer<_opaque_pthread_t>

/// pthread(3)
public func pthread_self() -> pthread_t! { nil }
