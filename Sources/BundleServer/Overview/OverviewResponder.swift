import BundleNetwork
import BundleServing
import BundleStore
import HTTPTypes

/// Responds at the root of an endpoint, where no bundle has it: with the list of the bundles.
///
/// For browsers on this machine alone; who else may know what is installed is for the operator to say. Thread-safe.
struct OverviewResponder: Sendable {
    let store: BundleStore
    let addresses: BundleAddresses
    /// `https` when requests come over TLS, otherwise `http`.
    let scheme: String

    /// The response to a navigation to `/` of the loopback interface; nil for any other request. Icons are read on a thread
    /// that may block.
    func begin(_ request: HTTPRequest) -> ResponseStart? {
        guard request.scheme == nil, request.path?.prefix(while: { $0 != "?" }) == "/",
            request.method == .get || request.method == .head, NavigationRequest.isNavigation(request),
            let authority = request.authority, Self.isLoopback(authority)
        else { return nil }
        return .waiting { _ in
            await withTaskExecutorPreference(BlockingExecutor()) {
                let response = response(at: root(for: authority))
                return .complete(
                    request.method == .head ? response.withoutBody : response,
                    ResponseSource(.server)
                )
            }
        }
    }

    /// The page's own URL, as the client sees it.
    private func root(for authority: String) -> String {
        RequestTarget("/", host: authority).flatMap(addresses.publicURL)?.description ?? "\(scheme)://\(authority)/"
    }

    private func response(at root: String) -> Response {
        let page = OverviewPage(
            entries: store.snapshot.sortedBundles.map { OverviewEntry($0, addresses, at: root) },
            root: root
        )
        let body = ResponseBody(page.html)
        let fields: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .contentLength: String(body.byteCount),
            .cacheControl: "no-store", .xContentTypeOptions: "nosniff", .contentSecurityPolicy: OverviewPage.policy,
            .cacheStatus: CacheStatus(nil, detail: "overview").fieldValue,
        ]
        return Response(head: HTTPResponse(status: .ok, headerFields: fields), body: body)
    }

    private static func isLoopback(_ authority: String) -> Bool {
        RequestTarget("/", host: authority)?.host.map { LocalHost.isLoopback($0) } ?? false
    }
}
