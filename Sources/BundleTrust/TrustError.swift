import BundleModel

/// Why a document or a target isn't trusted. A value type; safe to share between threads.
package struct TrustError: Error, Sendable {
    /// The kind of refusal.
    package enum Code: String, Sendable, CaseIterable {
        /// The document isn't JSON, breaks the format of its role, or has more of something than a limit permits.
        case invalidMetadata
        /// A document or a target is longer than it may be.
        case tooLarge
        /// The document is of another major version of the specification.
        case unsupportedSpecification
        /// The document is one of another role.
        case wrongRole
        /// The anchor isn't the document with the digest that was given.
        case wrongAnchor
        /// Too few of the role's keys have signed.
        case tooFewSignatures
        /// The document, or one that it lists, is older than what has been trusted: an attack, or a server that was set back.
        case rollback
        /// The document isn't the version that the one above it lists.
        case wrongVersion
        /// The document's life is over: a freeze attack, a publisher who doesn't sign any more, or a wrong clock.
        case expired
        /// The length or a hash isn't the one that is signed: a mix of several states, or a changed file.
        case contentMismatch
        /// No hash of a kind that is known here is signed.
        case unsupportedHash
        /// A role that a document delegates to isn't in the snapshot.
        case unlistedRole
        /// A target's path that would leave its folder.
        case invalidPath
        /// What must be trusted first isn't.
        case outOfOrder
        /// A document that has to be there isn't.
        case missing
    }

    /// The kind of refusal.
    package let code: Code
    /// The document or the target, such as `timestamp.json`.
    package let subject: String
    /// What is wrong with it, as the rest of a sentence.
    package let problem: String
    /// The underlying error, if any.
    package let cause: (any Error)?

    /// Creates an error; control characters of `subject` are escaped.
    package init(_ code: Code, _ subject: String, _ problem: String, cause: (any Error)? = nil) {
        self.code = code
        self.subject = Printable.text(subject)
        self.problem = problem
        self.cause = cause
    }

    /// What to do about it; nil when only the publisher can know.
    package var advice: String? { code.advice }
}

extension TrustError: CustomStringConvertible {
    /// One line: the document, what is wrong with it, and what to do.
    package var description: String {
        "\(subject): \(problem)" + (advice.map { "; \($0)" } ?? "")
    }
}

extension TrustError.Code {
    fileprivate var advice: String? {
        switch self {
        case .invalidMetadata, .tooLarge, .wrongRole, .unsupportedHash, .invalidPath: nil
        case .unsupportedSpecification: "update this program"
        case .wrongAnchor: "compare the digest with the one that the publisher shows"
        case .tooFewSignatures: "have the publisher sign it with the keys of the current root"
        case .rollback:
            "have the publisher raise the version, or, after a fast-forward attack, replace the keys of snapshot and timestamp"
        case .wrongVersion, .contentMismatch, .missing:
            "try again later; if it stays, have the publisher upload all of the feed"
        case .expired: "check this device's clock; if it is right, have the publisher sign it again"
        case .unlistedRole: "have the publisher add the role to the snapshot"
        case .outOfOrder: "update the documents above it first"
        }
    }
}
