import Foundation

/// The three streams that a program starts with.
enum StandardStreams {
    /// Makes the streams safe to use: a stream that was closed at the start is opened on /dev/null, because otherwise
    /// the first file of the store to be opened would take its number and receive the output; and writing to a closed
    /// pipe becomes an error, not a signal that ends the program.
    static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", O_RDWR)
        }
    }

    /// Writes all of `text`. Writing to a closed pipe is not an error: the verb's work is still wanted.
    ///
    /// - Throws: ``OutputError`` when it can't be written for another reason, such as a full disk.
    static func write(_ text: String, to descriptor: Int32 = STDOUT_FILENO) throws(OutputError) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE {
                return
            } else if errno != EINTR {
                throw OutputError(reason: String(cString: strerror(errno)))
            }
        }
    }
}
