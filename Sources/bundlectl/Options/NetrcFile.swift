import BundleNetwork
import BundleStore
import BundleUpdate
import Foundation

/// A file with users and passwords for feeds.
enum NetrcFile {
    /// Far more than anyone has.
    private static let maximumByteCount = 1 << 20

    /// Reads the file that an option names, or else the one that a variable names for all programs: that may be absent or
    /// of another form, and then there are no credentials.
    ///
    /// - Parameters:
    ///   - path: What the option names; nil when it isn't given.
    ///   - variable: What the variable names; nil when it isn't set.
    ///   - warn: Called with a line for each thing that is wrong, and yet no error.
    /// - Throws: `BundleError` with code `inputUnavailable` when the option's file can't be read, `invalidArgument` when it
    ///   has another form.
    static func read(
        _ path: String?,
        variable: String?,
        warn: ([String]) -> Void
    ) throws(BundleError) -> FeedCredentials {
        if let path { return try read(path, warn) }
        guard let variable, FileManager.default.fileExists(atPath: variable) else { return .none }
        do {
            return try read(variable, warn)
        } catch {
            warn(["NETRC isn't used: \(error.message)"])
            return .none
        }
    }

    private static func read(_ path: String, _ warn: ([String]) -> Void) throws(BundleError) -> FeedCredentials {
        let shown = Printable.line(path)
        let file = try InputDocument(path, atMost: maximumByteCount)
        guard file.bytes.count <= maximumByteCount, let text = String(validating: file.bytes, as: UTF8.self) else {
            throw BundleError(
                .invalidArgument,
                "\(shown) has over \(ByteCount.roundedUp(Int64(maximumByteCount))), or isn't UTF-8; is it a netrc file?"
            )
        }
        let credentials: FeedCredentials
        do {
            credentials = try FeedCredentials(netrc: text)
        } catch {
            throw error.located(at: shown)
        }
        if file.mode & 0o044 != 0 {
            warn(["other users can read the passwords in \(shown): “chmod 600 \(shown)” keeps them out"])
        }
        if credentials.hasDefault {
            warn(["\(shown): “default” isn't used, for a feed can name any host; name the hosts with “machine”"])
        }
        return credentials
    }
}
