import HTTPTypes
import OfflineBundles

/// Responds to the tasks of a custom scheme from a client's layers: what a `WKURLSchemeHandler` does, without WebKit. Used on the
/// main thread alone, as WebKit uses a handler.
@MainActor
package final class SchemeLoader {
    private let client: BundleClient
    private var loads: [ObjectIdentifier: SchemeLoad] = [:]

    package init(_ client: BundleClient) {
        self.client = client
    }

    /// How many tasks haven't ended.
    package var runningCount: Int { loads.count }

    /// Starts a task. A bundled file in memory begins to arrive in the main loop's next turn.
    ///
    /// - Parameters:
    ///   - task: Used until it ends, or ``stop(_:)``.
    ///   - url: Such as `bundle://shop/products/`.
    ///   - content: That of the request; empty for none.
    package func start(
        _ task: any SchemeTask,
        method: String,
        url: String,
        fields: [(name: String, value: String)],
        content: [UInt8] = []
    ) {
        let id = ObjectIdentifier(task)
        let load = SchemeLoad(task) { [weak self] in self?.loads[id] = nil }
        loads[id] = load
        guard let url = BundleSchemeURL(url),
            let mappings = client.store.snapshot.bundles[url.name]?.serving?.manifest.origins,
            let origin = url.url(in: mappings),
            let request = WebViewRequest(method: method, url: origin, fields: fields, content: content)
        else { return load.fail(.noBundle) }
        let client = client
        let responder = SchemeResponder(mappings) { request in
            let body = request.content.isEmpty ? nil : BodyStream(request.content)
            return await client.respond(
                to: request.request,
                from: ClientExchange(content: body, interim: { _ in })
            )
        }
        load.run { try await responder.response(to: request, of: url) }
    }

    /// The web view doesn't want the response any more: the task is never told anything again.
    package func stop(_ task: any SchemeTask) {
        loads.removeValue(forKey: ObjectIdentifier(task))?.stop()
    }
}
