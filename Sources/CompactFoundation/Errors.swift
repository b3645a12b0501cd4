import Glibc

/// An error of the system.
public struct POSIXError: Error, CustomStringConvertible {
    /// An `errno`.
    public struct Code: Hashable, Sendable {
        public let rawValue: Int32
    }

    public let code: Code
    public var description: String { String(cString: strerror(code.rawValue)) }

    /// The error of the thread's last call.
    static var last: POSIXError { POSIXError(code: Code(rawValue: errno)) }
}

/// An error of Foundation, of which there are none here.
public struct CocoaError: Error {
    public var underlying: (any Error)? { nil }
}
