import BundleStore
import Foundation

/// Where lines go: a file that is appended to, or standard output. For use by one thread.
struct LogFile {
    private let path: String
    private var descriptor: CInt
    /// Whether the last line that was begun has no end, for the disk was full in its middle.
    private var isTorn = false

    /// - Parameter path: The file, made when it isn't there; `-` for standard output.
    /// - Throws: ``BundleStore/BundleError`` with code `outputUnavailable`.
    init(_ path: String) throws(BundleError) {
        self.path = path
        descriptor = path == "-" ? STDOUT_FILENO : try Self.open(path)
    }

    /// Opens the path again, where another file may be by now.
    ///
    /// - Throws: ``BundleStore/BundleError`` with code `outputUnavailable`; lines go on to the former file then.
    mutating func reopen() throws(BundleError) {
        guard path != "-" else { return }
        let former = descriptor
        descriptor = try Self.open(path)
        _ = close(former)
        isTorn = false
    }

    /// Writes whole lines. What follows a line that was torn begins a line of its own.
    ///
    /// - Returns: How many of the bytes were left when an error came, and its number; nil when all are written.
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
        // A target may hold what isn't for everyone's eyes.
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
