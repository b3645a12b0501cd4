import Foundation

/// What every operation on a store throws: a code to act on, a message for a person, what puts it right, and the cause.
public struct BundleError: Error, Sendable {
    /// The kind of failure. New codes may be added; compare with the constants.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's stable name, for logs and JSON.
        public let description: String

        private init(_ name: String) { description = name }

        /// An archive that can't be read or that breaks a rule.
        public static let invalidArchive = Code("invalidArchive")
        /// A `bundle.json` that is missing, unreadable or invalid.
        public static let invalidManifest = Code("invalidManifest")
        /// A feed that is unreadable or invalid, or an offered release that differs from its announcement.
        public static let invalidFeed = Code("invalidFeed")
        /// What a publisher has to have signed isn't signed as it must be, or has expired; or another root is trusted.
        public static let untrusted = Code("untrusted")
        /// An invalid name, version, path or URL, or something that can't be done with it.
        public static let invalidArgument = Code("invalidArgument")
        /// A bundle or a version that the store or the feed doesn't have, or a URL to which its server responds so.
        public static let notFound = Code("notFound")
        /// Content that is longer than the caller's limit.
        public static let tooLarge = Code("tooLarge")
        /// A file or folder outside the store that was named as an input isn't there, or can't be read.
        public static let inputUnavailable = Code("inputUnavailable")
        /// The same version is installed with different content.
        public static let versionConflict = Code("versionConflict")
        /// A release claims URLs of another bundle.
        public static let originConflict = Code("originConflict")
        /// The network or the server couldn't be reached, or the server responded with an error.
        public static let networkUnavailable = Code("networkUnavailable")
        /// A response that isn't the content of the URL: it refuses the request, as with 401 or 403, or leads elsewhere.
        public static let unexpectedResponse = Code("unexpectedResponse")
        /// The store's folder can't be created, read or written.
        public static let storeUnavailable = Code("storeUnavailable")
        /// A file or folder outside the store, such as an export, can't be written.
        public static let outputUnavailable = Code("outputUnavailable")
        /// Another process works on the same bundle.
        public static let storeBusy = Code("storeBusy")
        /// The store's quota has no room for the operation.
        public static let quotaExceeded = Code("quotaExceeded")
        /// A file of the store has a format that only a newer program can read.
        public static let newerFormat = Code("newerFormat")
        /// A file of the store is damaged.
        public static let storeDamaged = Code("storeDamaged")
    }

    /// The kind of failure.
    public let code: Code
    /// What happened, and where.
    public let problem: String
    /// What to do next; nil when ``problem`` says that.
    public let remedy: Remedy?
    /// The underlying error, if any.
    public let cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ problem: String, _ remedy: Remedy? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.problem = problem
        self.remedy = remedy
        self.cause = cause
    }

    /// The same error, of what is at `place`.
    package func located(at place: String) -> BundleError {
        BundleError(code, "\(place): \(problem)", remedy, cause: self)
    }

    /// One line: what happened, where, and what to do next, in words that hold for every program.
    public var message: String { remedy.map { "\(problem); \($0)" } ?? problem }
}

extension BundleError: CustomStringConvertible, LocalizedError {
    /// The same as ``message``.
    public var description: String { message }
    /// The same as ``message``; so is `localizedDescription`. In English.
    public var errorDescription: String? { message }
}

/// The cause of the error for a feed that is a file when it, or its medium, isn't there: as being without a network, that is no
/// news to a clock.
package struct AbsentPlace: Error {
    /// Creates the cause.
    package init() {}
}

/// Something that a person should know although nothing has failed. A value type; safe to share between threads.
public struct Notice: Hashable, Sendable, CustomStringConvertible {
    /// What it is, and where.
    public let problem: String
    /// What to do about it; nil when ``problem`` says that, or there is nothing to do.
    public let remedy: Remedy?

    /// Makes one.
    public init(_ problem: String, _ remedy: Remedy? = nil) {
        self.problem = problem
        self.remedy = remedy
    }

    /// One line: what it is, where, and what to do.
    public var description: String { remedy.map { "\(problem); \($0)" } ?? problem }
}
