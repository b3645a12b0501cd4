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

let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

let sizes = [1_000, 64_000, 1_000_000]
for size in sizes { try Data(repeating: 65, count: size).write(to: folder.appendingPathComponent("\(size).bin")) }
let content = [UInt8](repeating: 65, count: 16_000)
let head =
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nCache-Control: no-store\r\nContent-Length: \(content.count)\r\n\r\n"
let server = try SmallServer(Array(head.utf8) + content)
let origin = "http://127.0.0.1:\(server.port)/"
let manifest = #"{"name": "bench", "version": "1.0.0", "origins": [{"url": "\#(origin)", "path": "/"}]}"#
let source = folder.appendingPathComponent("bundle")
try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
for size in sizes {
    let name = "\(size).bin"
    try FileManager.default.copyItem(at: folder.appendingPathComponent(name), to: source.appendingPathComponent(name))
}
try Data(manifest.utf8).write(to: source.appendingPathComponent("bundle.json"))
let archive = folder.appendingPathComponent("bench.tar")
let tar = Process()
tar.executableURL = URL(fileURLWithPath: "/usr/bin/env")
tar.arguments = ["tar", "-cf", archive.path, "-C", source.path, "."]
try tar.run()
tar.waitUntilExit()

let client = try BundleClient(at: folder.appendingPathComponent("store").path, transport: URLSessionTransport())
try await client.install(archive: archive.path)
let timer = Timer()
let plain = URLSession(configuration: .ephemeral, delegate: timer, delegateQueue: nil)
let configuration = URLSessionConfiguration.ephemeral
BundleURLProtocol.install(client, in: configuration)
let bundled = URLSession(configuration: configuration, delegate: timer, delegateQueue: nil)

for size in sizes {
    let file = folder.appendingPathComponent("\(size).bin")
    guard let url = URL(string: "\(origin)\(size).bin") else { continue }
    var (files, hits) = ([Double](), [Double]())
    for _ in 0..<500 {
        files.append(timer.load(file, plain, expecting: size).end)
        hits.append(timer.load(url, bundled, expecting: size).end)
    }
    let (own, other) = (median(hits), median(files))
    print(String(format: "hit of %8d bytes: %7.0f µs; a file URL %7.0f µs; ratio %.2f", size, own, other, own / other))
}

guard let url = URL(string: "\(origin)network") else { fatalError() }
var (direct, layered) = ([Double](), [Double]())
for _ in 0..<500 {
    direct.append(timer.load(url, plain, expecting: content.count).first)
    layered.append(timer.load(url, bundled, expecting: content.count).first)
}
let (own, other) = (median(layered), median(direct))
print(
    String(
        format: "first byte of the network: %5.0f µs; plain URLSession %5.0f µs; ratio %.2f",
        own,
        other,
        own / other
    )
)
client.close()
exit(0)
