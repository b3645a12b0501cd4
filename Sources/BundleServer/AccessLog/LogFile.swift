import BundleStore
import Foundation

/// The destination of lines: a file that is appended to, or standard output. For use by one thread.
struct LogFile {
    private let path: String
    private var descriptor: CInt
    /// Whether the last line is incomplete, because the disk became full in the middle of it.
    private var isTorn = false

    /// - Parameter path: The file, created if necessary; `-` for standard output.
    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable`.
    init(_ path: String) throws(BundleError) {
        self.path = path
        descriptor = path == "-" ? STDOUT_FILENO : try Self.open(path)
    }

    /// Opens the path again, which may now name another file.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable`; the previous file then stays in use.
    mutating func reopen() throws(BundleError) {
        guard path != "-" else { return }
        let former = descriptor
        descriptor = try Self.open(path)
        _ = close(former)
        isTorn = false
    }

    /// Writes whole lines. After an incomplete line, the next one begins on a new line.
    ///
    /// - Returns: How many of the bytes were left when an error occurred, and its number; nil when all are written.
    mutating func write(_ lines: [UInt8]) -> (unwritten: Int, errorCode: CInt)? {
        if isTorn, let failure = append([Self.lineFeed]) { return (lines.count, failure.errorCode) }
        isTorn = false
        let failure = append(lines)
        if let failure {
            isTorn = lines.dropLast(failure.unwritten).last.map { $0 != Self.lineFeed } ?? false
        }
        return failure
    }

    private static let lineFeed = UInt8(ascii: "\n")

    private func append(_ bytes: [UInt8]) -> (unwritten: Int, errorCode: CInt)? {
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 { offset += count } else if errno != EINTR { return (bytes.count - offset, errno) }
        }
        return nil
    }

    func shut() {
        if path != "-" { _ = close(descriptor) }
    }

    private static func open(_ path: String) throws(BundleError) -> CInt {
        // A target may contain confidential data.
        let descriptor = Foundation.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else {
            let reason = String(cString: strerror(errno))
            throw BundleError(
                .outputUnavailable,
                "could not open the access log \(path): \(reason)",
                .change(.accessLog, "choose another file")
            )
        }
        return descriptor
    }
}
