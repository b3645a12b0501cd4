import BundleModel

/// Why an archive can't be read or written.
///
/// A value type; safe to share between threads.
public struct ArchiveError: Error, Sendable {
    /// The kind of failure. New codes may be added; compare with the constants.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's stable name, for logs and JSON.
        public let description: String

        private init(_ name: String) { description = name }

        /// Not an archive: an empty file, a web page, or unknown bytes.
        public static let notAnArchive = Code("notAnArchive")
        /// An archive whose format or feature isn't supported.
        public static let unsupportedFormat = Code("unsupportedFormat")
        /// The archive's end is missing.
        public static let truncated = Code("truncated")
        /// The archive contradicts itself, or a checksum doesn't match.
        public static let damaged = Code("damaged")
        /// The archive, or an entry of it, needs a password.
        public static let encrypted = Code("encrypted")
        /// The archive exceeds one of ``ArchiveLimits``.
        public static let limitExceeded = Code("limitExceeded")
        /// A name isn't valid UTF-8.
        public static let nameNotUTF8 = Code("nameNotUTF8")
        /// The archive's file can't be opened or read.
        public static let unreadable = Code("unreadable")
        /// The archive's file can't be created or written.
        public static let unwritable = Code("unwritable")
    }

    /// The kind of failure.
    public let code: Code
    /// The path of the archive's file.
    public internal(set) var archivePath = ""
    /// The name of the entry concerned, as in the archive, if any.
    public internal(set) var entryName: String?
    /// The system's error number behind the failure, if any.
    public let cause: Int32?

    /// What puts it right, where programs have ways of their own to offer that; nil when ``problem`` says what to do.
    public let remedy: Remedy?

    private let fault: String
    private let advice: String?
    /// Whether the error concerns the archive as a whole, not the entry being read.
    private var concernsWhole = false

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - fault: What is wrong, as the rest of a sentence that starts with the archive's or the entry's name.
    ///   - advice: What to do next, as an imperative.
    package init(_ code: Code, entryName: String? = nil, _ fault: String, advice: String, cause: Int32? = nil) {
        self.code = code
        self.entryName = entryName
        self.fault = fault
        self.advice = advice
        self.cause = cause
        remedy = nil
    }

    /// Makes an error that has a remedy.
    init(_ code: Code, _ fault: String, _ remedy: Remedy) {
        self.code = code
        self.fault = fault
        self.remedy = remedy
        advice = nil
        cause = nil
    }

    /// The archive, the entry, and what is wrong; without a ``remedy`` also what to do next.
    public var problem: String {
        let entry = entryName.map { " “\(Printable.text($0))”" } ?? ""
        return "\(Printable.text(archivePath)):\(entry) \(fault)\(advice.map { "; \($0)" } ?? "")"
    }

    /// One line: the archive, the entry, what is wrong, and what to do next.
    public var message: String { Notice(problem, remedy).description }
}

extension ArchiveError: CustomStringConvertible {
    /// The same as ``message``.
    public var description: String { message }
}

extension ArchiveError {
    /// The advice for an archive whose bytes differ from what its publisher made.
    package static let fetchAgain = "download the archive again, or ask its publisher for an intact copy"

    /// The same error with the archive's path.
    package func located(at path: String) -> ArchiveError {
        var error = self
        error.archivePath = path
        return error
    }

    /// The same error with an entry's name, unless it already has one.
    package func concerning(_ name: String?) -> ArchiveError {
        var error = self
        error.entryName = concernsWhole ? nil : entryName ?? name
        return error
    }

    /// The same error for the archive as a whole, regardless of the entry being read, unless it already names an entry.
    package func concerningWhole() -> ArchiveError {
        var error = self
        error.concernsWhole = entryName == nil
        return error
    }
}

extension ArchiveError {
    /// A name that isn't valid in `charset`; for nil, one that isn't UTF-8 although no charset was given.
    package static func nameNot(_ charset: ArchiveCharset?) -> ArchiveError {
        let others = ArchiveCharset.allCases.map(\.rawValue).filter { $0 != charset?.rawValue }
        guard let charset else {
            return ArchiveError(.nameNotUTF8, "has a name that isn't UTF-8", .nameCharset(others))
        }
        return ArchiveError(.nameNotUTF8, "has a name that isn't \(charset) either", .nameOtherCharset(others))
    }

    /// A name that is marked as UTF-8 but isn't.
    static var wrongUTF8: ArchiveError {
        ArchiveError(
            .nameNotUTF8,
            "has a name that is marked as UTF-8 but isn't",
            advice: "repack the archive with UTF-8 names"
        )
    }
}

extension ArchiveError {
    /// The system has no memory for a decompressor.
    package static var noMemory: ArchiveError {
        ArchiveError(.unreadable, "can't be decompressed: out of memory", advice: "free some memory and try again")
    }

    /// The end is missing.
    package static var endsTooEarly: ArchiveError {
        ArchiveError(.truncated, "ends too early", advice: fetchAgain)
    }

    /// The compressed data contradicts itself.
    ///
    /// - Parameter detail: The contradiction, shown in parentheses.
    package static func damagedCompression(_ detail: String) -> ArchiveError {
        ArchiveError(.damaged, "is damaged (\(detail))", advice: fetchAgain)
    }

    /// The archive needs more memory than is allowed.
    package static func windowTooLarge(advice: String) -> ArchiveError {
        let limit = DecompressionWindow.maximumByteCount >> 20
        return ArchiveError(
            .unsupportedFormat,
            "needs a window of over \(limit) MiB of memory to be decompressed",
            advice: advice
        )
    }

    /// Data follows the archive's end.
    ///
    /// - Parameter isZero: Whether all of it is zeros.
    package static func followed(byZeros isZero: Bool) -> ArchiveError {
        guard isZero else { return ArchiveError(.damaged, "has data after its end", advice: fetchAgain) }
        return ArchiveError(
            .damaged,
            "has zeros after its end, as bsdtar writes them to a pipe",
            advice: "pack it again, directly to a file"
        )
    }
}
