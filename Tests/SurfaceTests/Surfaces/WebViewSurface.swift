import BundleTesting
import Foundation
import Testing

/// A page in the window of `hybrid-shell`, at the bundle's own origin: what its `fetch` gets, and what opening a page shows.
final class WebViewSurface: Surface {
    private let display: Display
    private let browser: Browser
    private let bundlectl: BundleVerb
    private let world: SurfaceWorld

    init(_ world: SurfaceWorld) async throws {
        self.world = world
        display = try await Display(in: world.directory)
        bundlectl = BundleVerb(store: world.store)
        browser = try await ShellWindow(
            ["--store", world.store, "shop", "--data", world.directory.path(of: "data"), "--update-interval", "0"],
            environment: ShellWindow.environment(display, home: world.directory.path)
        ).browser
        try await browser.navigate(to: world.url("/"))
    }

    func send(_ request: ConformanceRequest) async throws -> RawResponse {
        request.isPage ? try await open(request) : try await fetch(request)
    }

    func update() async throws { try await bundlectl.change("update", self, to: "Shop 2") }

    func rollBack() async throws { try await bundlectl.change("rollback", self, to: "Shop 1") }

    func setRules(_ json: String) async throws { throw NoSuchStep() }

    func close() async throws {
        await browser.quit()
        try await display.end()
    }

    private func fetch(_ request: ConformanceRequest) async throws -> RawResponse {
        let fields = Dictionary(request.fields.map { ($0.name, $0.value) }) { "\($0), \($1)" }
        let result = try await browser.execute(
            """
            const response = await fetch(\(Self.literal(world.url(request.target))), {
                method: \(Self.literal(request.method)), headers: \(Self.literal(fields)),
                body: \(try request.content.map(Self.literal) ?? "undefined"), redirect: 'manual',
            });
            const bytes = await response.blob();
            const url = await new Promise((resolve) => {
                const reader = new FileReader();
                reader.onload = () => resolve(reader.result);
                reader.readAsDataURL(bytes);
            });
            return [response.status, [...response.headers], url.slice(url.indexOf(',') + 1)];
            """
        )
        let parts = try #require(result.array)
        let received = parts[1].array?.compactMap { field -> (name: String, value: String)? in
            guard let pair = field.array, let name = pair[0].string, let value = pair[1].string else { return nil }
            return (name, value)
        }
        return RawResponse(
            status: parts[0].integer ?? 0,
            fields: received ?? [],
            body: parts[2].string.flatMap { Data(base64Encoded: $0) }.map { Array($0) } ?? []
        )
    }

    /// A page as its text is once it is open: a script in it sees neither its fields nor its bytes.
    private func open(_ request: ConformanceRequest) async throws -> RawResponse {
        try await browser.navigate(to: world.url(request.target))
        let result = try await browser.execute(
            """
            const entry = performance.getEntriesByType('navigation')[0];
            return [entry?.responseStatus ?? 0, document.documentElement.outerHTML, document.contentType];
            """
        )
        let parts = try #require(result.array)
        return RawResponse(
            status: parts[0].integer ?? 0,
            fields: [("content-type", parts[2].string ?? "")],
            body: Array((parts[1].string ?? "").utf8)
        )
    }

    private static func literal(_ value: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }
}
