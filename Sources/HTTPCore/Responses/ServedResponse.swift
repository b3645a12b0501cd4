import BundleModel
import HTTPTypes

/// A response on its way to a client. A value type; safe to share between threads.
public enum ServedResponse: Sendable {
    /// A response with a complete body.
    case complete(Response, ResponseSource)
    /// A head, and a body that is still arriving from the origin.
    case streaming(HTTPResponse, BodyStream, ResponseSource)
    /// The head of a switch of protocols, with status 101, and the connection to the origin.
    case switching(HTTPResponse, Tunnel, ResponseSource)

    /// The status and fields.
    public var head: HTTPResponse {
        get {
            switch self {
            case .complete(let response, _): response.head
            case .streaming(let head, _, _): head
            case .switching(let head, _, _): head
            }
        }
        set {
            switch self {
            case .complete(let response, let source):
                self = .complete(Response(head: newValue, body: response.body), source)
            case .streaming(_, let body, let source): self = .streaming(newValue, body, source)
            case .switching(_, let tunnel, let source): self = .switching(newValue, tunnel, source)
            }
        }
    }

    /// The body, if it is there already; nil while it arrives, and for a switch of protocols.
    public var body: ResponseBody? {
        if case .complete(let response, _) = self { response.body } else { nil }
    }

    /// Where it came from.
    public var source: ResponseSource {
        switch self {
        case .complete(_, let source), .streaming(_, _, let source), .switching(_, _, let source): source
        }
    }

    /// The whole body of a response with success in memory, also one that is still arriving.
    ///
    /// - Parameters:
    ///   - limit: The maximum length in bytes, 0 or more. Default: 64 MiB.
    ///   - anyStatus: Whether the body of every response is wanted: the text of an error, the offline page. Default: false, only that of
    ///     a status from 200 to 299.
    /// - Throws: ``/BundleModel/BundleError`` unless `anyStatus` is true: with code `notFound` for 404 and 410, `networkUnavailable` for 408,
    ///   429 and 500 to 599, and so for what isn't there without a network, and `unexpectedResponse` for each other status, such as 301,
    ///   401 and 403; `tooLarge` when the body is longer than `limit`; `invalidArgument` when it arrived and has been read before;
    ///   `storeDamaged` when the disk fails while it is read; what the transport throws when the connection breaks.
    public func bytes(atMost limit: Int = 64 << 20, ofAnyStatus anyStatus: Bool = false) async throws -> [UInt8] {
        if !anyStatus, head.status.kind != .successful { throw failure }
        var bytes: [UInt8] = []
        switch self {
        case .complete(let response, _):
            guard response.body.byteCount <= limit else { throw Self.tooLong(limit) }
            bytes = response.body.array
            guard !response.body.hasFaulted else {
                throw BundleError(.storeDamaged, "a file of the store can't be read any more", .checkDisk)
            }
        case .streaming(_, let body, _):
            for try await chunk in body {
                guard chunk.count <= limit - bytes.count else { throw Self.tooLong(limit) }
                bytes += chunk
            }
        case .switching: break
        }
        return bytes
    }

    /// The error in place of a body that isn't what was asked for.
    private var failure: BundleError {
        if case .noResponse(let error) = source.failure { return error }
        let reason = source.reason.map { " (\($0))" } ?? ""
        return BundleError(
            failureCode,
            "the response has the status \(head.status.code)\(reason); look at its head, or take the body of any status"
        )
    }

    private var failureCode: BundleError.Code {
        switch head.status {
        case .notFound, .gone: .notFound
        case .requestTimeout, .tooManyRequests: .networkUnavailable
        default: head.status.kind == .serverError ? .networkUnavailable : .unexpectedResponse
        }
    }

    private static func tooLong(_ limit: Int) -> BundleError {
        BundleError(.tooLarge, "the response has more than \(limit) bytes; read it in parts, or raise the limit")
    }
}
