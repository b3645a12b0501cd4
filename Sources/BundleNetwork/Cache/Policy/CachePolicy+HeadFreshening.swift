import BundleServing
import Foundation
import HTTPTypes

extension CachePolicy {
    /// What becomes of a stored response to GET when a HEAD request that could have selected it gets a 200 (RFC 9111
    /// §4.3.5): with the fields of the HEAD response, and as fresh as it, if that describes the same content; nil if the
    /// stored response is out of date.
    ///
    /// The result may have to be removed all the same, as after a 304: see
    /// ``freshened(_:by:to:requestTime:responseTime:)``.
    ///
    /// - Parameters:
    ///   - stored: The response to GET.
    ///   - response: The head of the response to HEAD, with status 200.
    ///   - request: The HEAD request as it went to the origin.
    ///   - requestTime: When it was sent.
    ///   - responseTime: When the response was received.
    package func freshened(
        _ stored: StoredResponse,
        byHead response: HTTPResponse,
        to request: HTTPRequest,
        requestTime: Date,
        responseTime: Date
    ) -> StoredResponse? {
        guard stored.isDescribed(byHead: response) else { return nil }
        var get = request
        get.method = .get
        return freshened(stored, by: response, to: get, requestTime: requestTime, responseTime: responseTime)
    }
}

extension StoredResponse {
    /// Whether all validators that the other one has are the same here, and so is the length if it has one.
    fileprivate func isDescribed(byHead response: HTTPResponse) -> Bool {
        guard wholeHead.status == response.status else { return false }
        let received = response.headerFields
        let tags = received[fields: .eTag]
        if !tags.isEmpty, tags.map({ EntityTag($0) }) != fields[fields: .eTag].map({ EntityTag($0) }) { return false }
        if received.contains(.lastModified) {
            let theirs = received.date(.lastModified, receivedAt: responseTime)
            guard let theirs, theirs == fields.date(.lastModified, receivedAt: responseTime) else { return false }
        }
        guard let length = received[.contentLength] else { return true }
        return Int(length) == bodyLength
    }
}
