import BundleEmbedding
import Foundation
import HTTPCore

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The error that a session or a web view gets in place of a response that no layer has.
package enum LoadingFailure {
    /// For what the layers say.
    package static func error(_ failure: ResponseSource.Failure, _ url: URL?) -> URLError {
        switch failure {
        case .invalidURL: error(.badURL, url)
        // What Foundation reports for `returnCacheDataDontLoad`.
        case .onlyIfCached: error(.resourceUnavailable, url)
        case .offline: error(.notConnectedToInternet, url)
        case .noResponse(let cause): error(cause, url)
        case .denied: error(.cannotConnectToHost, url)
        }
    }

    /// For what was thrown while a body was read, or a request was made.
    package static func error(_ cause: any Error, _ url: URL?) -> URLError {
        switch cause {
        case is CancellationError: error(.cancelled, url)
        case let cause as URLError: error(cause.code, url, cause)
        case let cause as BundleError: error(code(of: cause), url, cause)
        default: error(.networkConnectionLost, url, cause)
        }
    }

    static func error(_ code: URLError.Code, _ url: URL?, _ cause: (any Error)? = nil) -> URLError {
        var details: [String: Any] = [:]
        if let url {
            details[NSURLErrorFailingURLErrorKey] = url
        }
        if let cause {
            details[NSLocalizedDescriptionKey] = (cause as? BundleError)?.message ?? cause.localizedDescription
            details[NSUnderlyingErrorKey] = cause
        }
        #if !canImport(FoundationNetworking)
            // Which kind of link may not be used.
            let key = NSURLErrorNetworkUnavailableReasonKey
            details[key] = (cause as? URLError ?? (cause as? BundleError)?.cause as? URLError)?.userInfo[key]
        #endif
        return URLError(code, userInfo: details)
    }

    private static func code(of error: BundleError) -> URLError.Code {
        switch error.code {
        case .networkUnavailable:
            switch error.cause {
            case let cause as URLError where cause.code != .unknown: cause.code
            case let cause as any OriginFailureCause: code(of: cause.originFailure)
            default: .networkConnectionLost
            }
        case .invalidArgument: .badURL
        case .storeDamaged: .cannotDecodeRawData
        case .storeUnavailable: .cancelled
        default: .resourceUnavailable
        }
    }

    private static func code(of failure: OriginFailure) -> URLError.Code {
        switch failure {
        case .unknownHost: .cannotFindHost
        case .refused: .cannotConnectToHost
        case .unreachable: .notConnectedToInternet
        case .connectTimeout, .silence: .timedOut
        case .brokenOff: .networkConnectionLost
        case .malformed: .badServerResponse
        case .handshake: .secureConnectionFailed
        case .expiredCertificate: .serverCertificateHasBadDate
        case .notYetValidCertificate: .serverCertificateNotYetValid
        case .certificateOfOtherName, .certificateOfOtherKey, .certificateOfUnknownIssuer: .serverCertificateUntrusted
        }
    }
}
