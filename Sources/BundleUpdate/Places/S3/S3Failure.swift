import BundleStore
import Foundation
import HTTPCore
import HTTPTypes

/// The cause of the error for a response of an object store that isn't what was asked for.
package struct S3Failure: Error {
    /// Its status and fields.
    package let head: HTTPResponse
    /// The store's code, such as `NoSuchBucket`; nil when the response has none, as that to HEAD.
    package let code: String?
    /// The store's message, which isn't safe for terminals; nil when there is none.
    let message: String?
    /// The region in which the bucket is, if the store says that.
    let region: String?

    /// The longest body that is read of it: S3's have a few hundred bytes.
    static let maximumByteCount = 64 << 10

    /// - Parameter body: The body, or its beginning; what isn't an `Error` is ignored.
    package init(_ head: HTTPResponse, body: [UInt8]) {
        let error = (try? S3XML.records("Error", in: body))?.first ?? [:]
        self.head = head
        code = error["Code"].flatMap { Self.isName($0) ? $0 : nil }
        message = error["Message"]
        region = (head.headerFields[.amzBucketRegion] ?? error["Region"]).flatMap { Self.isName($0) ? $0 : nil }
    }

    /// Whether the object isn't there: a key, or an upload. A response to HEAD doesn't say what is absent.
    package var isAbsence: Bool {
        head.status == .notFound && [nil, "NoSuchKey", "NoSuchUpload", "NotFound"].contains(code)
    }

    /// Whether who asks may not do so, or may not know whether the object is there: without the right to list, S3 responds so for an
    /// absent key.
    package var isDenial: Bool {
        head.status == .forbidden && [nil, "AccessDenied", "AllAccessDisabled"].contains(code)
    }

    /// Whether a condition of the request doesn't hold.
    package var isConflict: Bool { head.status == .preconditionFailed }

    /// Whether the store doesn't understand a condition of the request.
    package var isUnsupported: Bool {
        head.status == .notImplemented
            || head.status == .badRequest && ["NotImplemented", "InvalidArgument", "InvalidRequest"].contains(code)
    }

    /// Whether two writers have met, and one has to try again (S3, “Add preconditions to S3 operations with conditional requests”).
    package var isRace: Bool {
        head.status == .conflict && ["ConditionalRequestConflict", "OperationAborted"].contains(code)
    }

    /// Whether the same request may succeed a moment later.
    package var isPassing: Bool {
        [500, 502, 503, 504, 429].contains(head.status.code) || isRace || code == "RequestTimeout" || code == "SlowDown"
    }

    /// Whether there is no room.
    package var isFull: Bool {
        head.status.code == 507
            || ["QuotaExceeded", "InsufficientStorage", "StorageFull", "XMinioStorageFull"].contains(code)
    }

    private static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "-.".utf8.contains($0) }
    }

    /// The error for it.
    ///
    /// - Parameters:
    ///   - subject: What was asked for, such as `s3://bucket/shop/feed.json`.
    ///   - server: The server, such as `https://s3.eu-central-1.amazonaws.com`.
    func error(at subject: String, of server: String) -> BundleError {
        let said = code ?? message.map { Printable.text($0) }
        let problem = "\(subject): \(server) responded with \(head.status.code)" + (said.map { " (\($0))" } ?? "")
        let (advice, remedy) = advice
        return BundleError(
            isFull ? .outputUnavailable : .networkUnavailable,
            advice.map { "\(problem); \($0)" } ?? problem,
            remedy,
            cause: self
        )
    }

    private var advice: (String?, Remedy?) {
        switch code {
        case "NoSuchBucket": return ("there is no such bucket: correct its name, or name the server that has it", nil)
        case "RequestTimeTooSkewed": return ("the clock of this machine is wrong: set it", nil)
        case "PermanentRedirect", "TemporaryRedirect", "AuthorizationHeaderMalformed":
            return (nil, .nameBucketRegion(region))
        case "SignatureDoesNotMatch", "InvalidAccessKeyId", "InvalidToken", "ExpiredToken", "TokenRefreshRequired":
            return (nil, .giveBucketCredentials)
        default: break
        }
        switch head.status.code {
        case 301, 307, 308: return (nil, .nameBucketRegion(region))
        case 401, 403: return (nil, .giveBucketCredentials)
        case _ where isFull: return ("free some space in the bucket, or raise its quota", nil)
        case _ where isPassing: return ("try again later", nil)
        case 404: return ("check the address", nil)
        default: return ("check the server's log", nil)
        }
    }
}
