import BundleTesting
import Foundation
import HTTPTypes
import OfflineBundles
import Synchronization
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What the field's tutorials build by hand around sessions, and the traps that they warn of. Those of threads and run loops
/// are in ClientThreadTests.
@Suite("What tutorials build by hand: sessions", .timeLimit(.minutes(5)))
struct TutorialSessionTests {
    @Test("a synchronous load from a thread of the app's own")
    func synchronous() async throws {
        try await withLoading { app in
            app.origin.route("/shop/a", to: ScriptedResponse("network"))
            let session = app.session()
            let texts: [String] = await withCheckedContinuation { continuation in
                Thread {
                    let paths = ["", "a"]
                    continuation.resume(returning: paths.map { Self.load(app.url($0), session) })
                }.start()
            }
            #expect(texts == ["<p>shop</p>", "network"])
            // What is bundled needs no session.
            #expect(app.client.resolve(app.url("").absoluteString)?.contents.array == Array("<p>shop</p>".utf8))
        }
    }

    /// Waits on the calling thread.
    private static func load(_ url: URL, _ session: URLSession) -> String {
        let (done, text) = (DispatchSemaphore(value: 0), Monitor(""))
        session.dataTask(with: url) { data, _, _ in
            text.update { $0 = String(decoding: data ?? Data(), as: UTF8.self) }
            done.signal()
        }.resume()
        done.wait()
        return text.state
    }

    @Test("sessions that only the app's own configuration reaches (protocolClasses)")
    func ownConfiguration() async throws {
        try await withLoading { app in
            app.origin.route("/shop/", to: ScriptedResponse("network"))
            // A library makes sessions of its own; the app gives it a configuration, or an alternative one.
            let own = URLSessionConfiguration.default
            own.httpCookieStorage = nil
            BundleURLProtocol.install(app.client, in: own)
            var texts: [String] = []
            for configuration in [own, own, .default, .ephemeral] {
                texts.append(try await URLSession(configuration: configuration).text(app.url("")).text)
            }
            #expect(texts == ["<p>shop</p>", "<p>shop</p>", "network", "network"])
            #expect(own.protocolClasses?.first is BundleURLProtocol.Type)
        }
    }

    @Test("no endless recursion: what the library asks itself isn't taken again")
    func recursion() async throws {
        await #expect(processExitsWith: .success) {
            try await withLoading([:], { $0.coversAllOrigins = true }) { app in
                BundleURLProtocol.register(app.client)
                let configuration = app.configuration()
                // The app gives its classes to the library's transport too.
                let transport = URLSessionTransport(configure: { $0.protocolClasses = configuration.protocolClasses })
                let other = try BundleClient(at: "\(app.folder)/other", transport: transport)
                BundleURLProtocol.register(other)
                let count = app.count("a", [.cacheControl: "no-store"])
                for session in [URLSession.shared, URLSession(configuration: configuration)] {
                    _ = try await session.text(app.url("a"))
                }
                guard count.state == 2 else { exit(1) }
                _ = try await transport.send(app.origin.request("/shop/a"))
                guard count.state == 3 else { exit(2) }
            }
        }
    }

    @Test(
        "no lost bodies of POST, however often the request is copied, and whether it is data or a stream",
        arguments: 0..<3
    )
    func bodies(_ kind: Int) async throws {
        try await withTalkingOrigin { peer in
            while true {
                let request = try await peer.request()
                try await peer.respond(String(decoding: request.body, as: UTF8.self))
            }
        } _: { origin in
            try await withLoading([:], { $0.coversAllOrigins = true }) { app in
                var request = URLRequest(url: try #require(URL(string: "http://\(origin.authority)/")))
                request.httpMethod = "POST"
                let content = Data("name=value".utf8)
                switch kind {
                case 0: request.httpBody = content
                case 1: request.httpBodyStream = InputStream(data: content)
                default: break
                }
                let copy = (request as NSURLRequest).mutableCopy() as? NSMutableURLRequest
                request = try #require(copy) as URLRequest
                let session = app.session()
                let data =
                    kind == 2
                    ? try await session.upload(for: request, from: content).0 : try await session.data(for: request).0
                #expect(data == content)
            }
        }
    }
}
