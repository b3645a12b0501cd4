import BundleTesting
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A session's delegate that records what it is told.
final class RecordingDelegate: NSObject, URLSessionDataDelegate, Sendable {
    struct Record: Sendable {
        var responses: [Int] = []
        var pieces: [Data] = []
        var redirects: [String] = []
        var challenges: [String] = []
        var ends: [URLError.Code?] = []

        var body: Data { Data(pieces.joined()) }
    }

    let record = Monitor(Record())
    /// Decides about redirects; nil follows them.
    let redirecting: (@Sendable (URLRequest) -> URLRequest?)?
    let deciding: (@Sendable (URLAuthenticationChallenge) -> (URLSession.AuthChallengeDisposition, URLCredential?))?
    let receiving: (@Sendable (URLSessionDataTask, Data) -> Void)?
    /// What a new stream with the content has; nil when there is none.
    let content: Data?

    init(
        redirecting: (@Sendable (URLRequest) -> URLRequest?)? = nil,
        deciding: (@Sendable (URLAuthenticationChallenge) -> (URLSession.AuthChallengeDisposition, URLCredential?))? =
            nil,
        receiving: (@Sendable (URLSessionDataTask, Data) -> Void)? = nil,
        content: Data? = nil
    ) {
        self.redirecting = redirecting
        self.deciding = deciding
        self.receiving = receiving
        self.content = content
    }

    /// Waits until as many tasks have ended.
    func waitForEnds(_ count: Int = 1) async throws -> Record {
        try await record.wait(for: "the ends of tasks", deadline: .seconds(30)) { $0.ends.count >= count ? $0 : nil }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        record.update { $0.responses.append(status) }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        record.update { $0.pieces.append(data) }
        receiving?(dataTask, data)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        record.update { $0.redirects.append("\(response.statusCode) \(request.url?.path ?? "")") }
        completionHandler(redirecting.map { $0(request) } ?? request)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        record.update {
            $0.challenges.append("\(challenge.protectionSpace.realm ?? "") \(challenge.previousFailureCount)")
        }
        let (disposition, credential) = deciding?(challenge) ?? (.performDefaultHandling, nil)
        completionHandler(disposition, credential)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        completionHandler(content.map { InputStream(data: $0) })
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        record.update { $0.ends.append((error as? URLError)?.code) }
    }
}
