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

    /// What the operator of a device can do about it.
    package var advice: String { code.advice(on: subject) }
}

extension TrustError: CustomStringConvertible {
    /// One line: the document, what is wrong with it, and what to do.
    package var description: String {
        "\(subject): \(problem); \(advice)"
    }
}

extension TrustError.Code {
    /// What the operator of a device can do, or have the publisher do.
    ///
    /// - Parameter subject: The document or the target.
    fileprivate func advice(on subject: String) -> String {
        switch self {
        case .invalidMetadata, .tooLarge, .wrongRole, .unsupportedHash, .invalidPath:
            "it isn't what a publisher's program writes: have the publisher look at the server"
        case .unsupportedSpecification: "update this program"
        case .wrongAnchor: "compare the digest with the one that the publisher shows: “bundlectl keys show”"
        case .tooFewSignatures:
            "it may be another publisher's feed or stick; if it is the right one, have the publisher sign it with the keys of the latest "
                + "root, or find out who else writes to the server"
        case .rollback:
            "it is older than what is known here; an old stick has to be written again; of a server, have the publisher restore the latest "
                + "state of the folder, or, if that is lost, replace the online key: “bundlectl keys rotate online”"
        case .missing where subject == "1.root.json":
            "have the publisher sign it: “bundlectl publish --keys DIR”, or if it is signed, upload all of its folder"
        case .wrongVersion, .contentMismatch, .missing:
            "try again later; if it stays, have the publisher upload all of the feed's folder"
        case .expired:
            "\(SignatureLife.renewal(of: subject.hasSuffix(".json") ? String(subject.dropLast(5)) : subject)); if its signatures are "
                + "of today, set this device's clock"
        case .unlistedRole: "have the publisher add the role to the snapshot"
        case .outOfOrder: "update the documents above it first"
        }
    }
}
