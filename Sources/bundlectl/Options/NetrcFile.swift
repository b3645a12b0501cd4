import BundleNetwork
import BundleStore
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
        let text = try text(of: path)
        let credentials: FeedCredentials
        do {
            credentials = try FeedCredentials(netrc: text)
        } catch {
            throw error.located(at: shown)
        }
        if isReadableByOthers(path) {
            warn(["other users can read the passwords in \(shown): “chmod 600 \(shown)” keeps them out"])
        }
        if credentials.hasDefault {
            warn(["\(shown): “default” isn't used, for a feed can name any host; name the hosts with “machine”"])
        }
        return credentials
    }

    private static func text(of path: String) throws(BundleError) -> String {
        do {
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            let bytes = try file.read(upToCount: maximumByteCount + 1) ?? Data()
            guard bytes.count <= maximumByteCount, let text = String(data: bytes, encoding: .utf8) else {
                throw BundleError(
                    .invalidArgument,
                    "\(Printable.line(path)) has over \(ByteCount.roundedUp(Int64(maximumByteCount))), or isn't UTF-8; is it a "
                        + "netrc file?"
                )
            }
            return text
        } catch let error as BundleError {
            throw error
        } catch {
            throw BundleError(
                .inputUnavailable,
                "the credentials in \(Printable.line(path)) can't be read; correct the path, or the file's mode",
                cause: error
            )
        }
    }

    private static func isReadableByOthers(_ path: String) -> Bool {
        let mode = try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        return (mode ?? 0) & 0o044 != 0
    }
}
