import BundleTar
import BundleTransport
import Foundation
import OfflineBundles

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// What a load costs through BundleURLProtocol, beside URLSession's own for the same bytes: in turn, one at a time.

/// A server that sends as many bytes for every request.
///
/// - Parameter delay: The time until the response, in milliseconds.
func server(_ count: Int, delay: Int = 0) throws -> SmallServer {
    let fields = "Content-Type: text/plain\r\nCache-Control: no-store\r\nContent-Length: \(count)\r\n"
    return try SmallServer(
        Array("HTTP/1.1 200 OK\r\n\(fields)\r\n".utf8) + [UInt8](repeating: 65, count: count),
        delay: delay
    )
}

func makeArchive(_ name: String, _ sizes: [Int], origin: String, in folder: URL) throws -> String {
    let source = folder.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
    for size in sizes {
        try Data(repeating: 65, count: size).write(to: source.appendingPathComponent("\(size).bin"))
    }
    let manifest = #"{"name": "\#(name)", "version": "1.0.0", "origins": [{"url": "\#(origin)", "path": "/"}]}"#
    try Data(manifest.utf8).write(to: source.appendingPathComponent("bundle.json"))
    let archive = folder.appendingPathComponent("\(name).tar").path
    let tar = Process()
    tar.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    tar.arguments = ["tar", "-cf", archive, "-C", source.path, "."]
    try tar.run()
    tar.waitUntilExit()
    return archive
}

let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
let timer = LoadTimer()

/// A session of its own.
func session(_ prepare: (URLSessionConfiguration) -> Void = { _ in }) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    prepare(configuration)
    return URLSession(configuration: configuration, delegate: timer, delegateQueue: nil)
}

func url(_ text: String) throws -> URL {
    guard let url = URL(string: text) else { throw URLError(.badURL) }
    return url
}

let plain = session()
let (sizes, networkByteCount, rounds) = ([1_000, 64_000, 1_000_000], 16_000, 500)
let origin = try server(networkByteCount).url
let archive = try makeArchive("bundle", sizes, origin: origin, in: folder)
let transports: [(name: String, transport: any OriginTransport)] = [
    ("URLSessionTransport", URLSessionTransport()), ("NIOTransport", NIOTransport()),
]
var configuration = BundleClient.Configuration()
configuration.archiveFormats = .zipAndTar
let clients = try transports.map { [configuration] name, transport in
    let store = folder.appendingPathComponent("store of \(name)").path
    let client = try BundleClient(at: store, transport: transport, configuration: configuration)
    return (name: name, client: client, session: session { BundleURLProtocol.install(client, in: $0) })
}
try await clients[0].client.install(archive: archive)
let disk = session { $0.protocolClasses = [DiskURLProtocol.self] }

for size in sizes {
    let file = folder.appendingPathComponent("bundle/\(size).bin")
    #if canImport(FoundationNetworking)
        // URLSession on Linux loads no file URLs.
        let own = Contestant("URLSession's own for loopback HTTP", try url(server(size).url), plain)
    #else
        let own = Contestant("URLSession's own for a file URL", file, plain)
    #endif
    let hit = Contestant("bundled", try url("\(origin)\(size).bin"), clients[0].session)
    let least = Contestant("a URLProtocol that only reads the file", file, disk)
    Contestant.compare([hit, least, own], rounds: rounds, as: "\(size) bytes") { url, session in
        timer.load(url, session, expecting: size).end
    }
}

for delay in [0, 10] {
    let origin = try server(networkByteCount, delay: delay).url
    let archive = try makeArchive("net\(delay)", [], origin: origin, in: folder)
    let own = Contestant("URLSession's own", try url("\(origin)network"), plain)
    for (name, client, session) in clients {
        try await client.install(archive: archive)
        let layered = Contestant("through \(name)", own.url, session)
        let title = "first byte of an origin \(delay) ms away"
        Contestant.compare([layered, own], rounds: delay == 0 ? rounds : rounds / 5, as: title) { url, session in
            timer.load(url, session, expecting: networkByteCount).first
        }
    }
}
for (_, client, _) in clients { client.close() }
try? FileManager.default.removeItem(at: folder)
exit(0)
