import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The least that a `URLProtocol` can do for a file: what `URLSession` does for file URLs on Apple's systems, and doesn't do
/// at all on Linux.
final class DiskURLProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.isFileURL == true }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url, let data = try? Data(contentsOf: url) else {
            client?.urlProtocol(self, didFailWithError: URLError(.fileDoesNotExist))
            return
        }
        let response = URLResponse(
            url: url,
            mimeType: "application/octet-stream",
            expectedContentLength: data.count,
            textEncodingName: nil
        )
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: data)
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}
