import BundleModel
import Foundation
import Testing

@testable import OfflineBundles

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A response that a session brings")
struct PendingURLResponseTests {
    /// As when the app's delegate refuses the server, which Linux never asks: the task ends with `cancelled` then.
    @Test("ends as for an untrusted certificate when that comes before the task's end")
    func refused() async throws {
        let url = try #require(URL(string: "https://m.example.com/"))
        let limits = URLSessionLimits(firstByte: .seconds(60), silence: .seconds(60), unreadByteCount: 1)
        // The task is never started.
        let response = PendingURLResponse(
            URLSession(configuration: .ephemeral).dataTask(with: URLRequest(url: url)),
            URLSessionFailure(url, limits),
            limits,
            onInterim: nil
        )
        response.end(URLError(.serverCertificateUntrusted))
        response.end(URLError(.cancelled))
        let thrown = await #expect(throws: BundleError.self) { try await response.head() }
        let error = try #require(thrown)
        #expect(error.code == .networkUnavailable)
        #expect(error.message.contains("m.example.com:443: its certificate isn't trusted"))
        #expect(LoadingFailure.error(error, url).code == .serverCertificateUntrusted)
    }
}
