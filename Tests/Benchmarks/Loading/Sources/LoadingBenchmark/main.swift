import Foundation
import OfflineBundles

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// What a load costs through BundleURLProtocol, beside URLSession's own for the same bytes: in turn, one at a time.

/// The times to the response's first byte and to its end, in microseconds.
final class Timer: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let done = DispatchSemaphore(value: 0)
    private var (start, first, end) = (ContinuousClock.now, ContinuousClock.now, ContinuousClock.now)
    private var byteCount = 0

    func load(_ url: URL, _ session: URLSession, expecting count: Int) -> (first: Double, end: Double) {
        byteCount = 0
        var request = URLRequest(url: url)
        request.cachePolicy = .reloadIgnoringLocalCacheData
        let task = session.dataTask(with: request)
        start = .now
        task.resume()
        done.wait()
        precondition(byteCount == count, "\(url): \(byteCount) bytes")
        return (start.duration(to: first) / .microseconds(1), start.duration(to: end) / .microseconds(1))
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        if byteCount == 0 { first = .now }
        byteCount += data.count
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        end = .now
        done.signal()
    }
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
func ratio(_ one: Double, _ other: Double) -> String { String(format: "%.2f", one / other) }

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
let (sizes, networkByteCount, count) = ([1_000, 64_000, 1_000_000], 16_000, 500)
let origin = try server(networkByteCount).url
let archive = try makeArchive("bundle", sizes, origin: origin, in: folder)
let client = try BundleClient(at: folder.appendingPathComponent("store").path, transport: URLSessionTransport())
try await client.install(archive: archive)
let timer = Timer()
let plain = URLSession(configuration: .ephemeral, delegate: timer, delegateQueue: nil)
let configuration = URLSessionConfiguration.ephemeral
BundleURLProtocol.install(client, in: configuration)
let bundled = URLSession(configuration: configuration, delegate: timer, delegateQueue: nil)

for size in sizes {
    #if canImport(FoundationNetworking)
        // URLSession on Linux loads no file URLs.
        let (name, other) = ("loopback HTTP", URL(string: try server(size).url) ?? folder)
    #else
        let (name, other) = ("a file URL", folder.appendingPathComponent("bundle/\(size).bin"))
    #endif
    guard let url = URL(string: "\(origin)\(size).bin") else { continue }
    var (others, hits) = ([Double](), [Double]())
    for _ in 0..<count {
        others.append(timer.load(other, plain, expecting: size).end)
        hits.append(timer.load(url, bundled, expecting: size).end)
    }
    let (hit, own) = (median(hits), median(others))
    print(
        "hit of \(size) bytes: \(Int(hit)) µs; URLSession's own for \(name): \(Int(own)) µs; ratio \(ratio(hit, own))"
    )
}

for delay in [0, 10] {
    let origin = try server(networkByteCount, delay: delay)
    let name = "net\(delay)"
    try await client.install(archive: makeArchive(name, [], origin: origin.url, in: folder))
    guard let url = URL(string: "\(origin.url)network") else { continue }
    var (direct, layered) = ([Double](), [Double]())
    for _ in 0..<(delay == 0 ? count : count / 5) {
        direct.append(timer.load(url, plain, expecting: networkByteCount).first)
        layered.append(timer.load(url, bundled, expecting: networkByteCount).first)
    }
    let (first, own) = (median(layered), median(direct))
    let ratio = ratio(first, own)
    print(
        "first byte of an origin \(delay) ms away: \(Int(first)) µs; URLSession's own: \(Int(own)) µs; ratio \(ratio)"
    )
}
client.close()
try? FileManager.default.removeItem(at: folder)
exit(0)
