/// The ending and the output of a program.
package struct ProcessResult: Sendable {
    /// How it ended.
    package enum Ending: Hashable, Sendable {
        /// It returned this exit code, 0 to 255.
        case exit(Int32)
        /// This signal ended it.
        case signal(Int32)
    }

    /// How it ended.
    package let ending: Ending
    /// All bytes of its standard output.
    package let outputBytes: [UInt8]
    /// All bytes of its standard error.
    package let errorBytes: [UInt8]

    /// The exit code, or nil when a signal ended it.
    package var exitCode: Int32? {
        if case .exit(let code) = ending { code } else { nil }
    }

    /// Standard output as text; invalid UTF-8 is replaced.
    package var output: String { String(decoding: outputBytes, as: UTF8.self) }

    /// Standard error as text; invalid UTF-8 is replaced.
    package var errorOutput: String { String(decoding: errorBytes, as: UTF8.self) }
}

extension ProcessResult.Ending {
    /// Reads a status as `waitpid` gives it (POSIX `<sys/wait.h>`; its macros don't reach Swift).
    init(waitStatus status: Int32) {
        let signal = status & 0x7f
        self = signal == 0 ? .exit((status >> 8) & 0xff) : .signal(signal)
    }
}
