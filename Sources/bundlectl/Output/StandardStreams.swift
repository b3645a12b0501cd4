import Foundation

/// The three streams that a program starts with.
enum StandardStreams {
    /// Makes the streams safe to use: a stream that came closed is opened on nothing, or the first file of the store to be
    /// opened would take its number and receive what is printed; and a reader who has gone away is an error to be handled,
    /// not a signal that ends the program.
    static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", O_RDWR)
        }
    }

    /// Writes all of `text`. That nobody reads it any more is no error: the work itself is what was asked for.
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
