import BundleTar
import CResolveLoop
import Foundation
import OfflineBundles

// What a look-up costs an app at 100,000 resources, in Swift and in C, and what opening the store costs.

let (fileCount, batchCount, roundCount) = (100_000, 1_000, 200)
let origin = "https://m.example.com/shop/"
let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

/// A path as bundlers write them: `assets/f3/chunk-12345.0a1b2c3d.js`.
func path(_ number: Int) -> String {
    "assets/\(String(number % 256, radix: 16))/chunk-\(number).\(String(number &* 2_654_435_761, radix: 16)).js"
}

func makeArchive() throws -> String {
    let source = folder.appendingPathComponent("release")
    for number in 0..<256 {
        let assets = source.appendingPathComponent("assets/\(String(number, radix: 16))")
        try FileManager.default.createDirectory(at: assets, withIntermediateDirectories: true)
    }
    for number in 0..<fileCount {
        try Data("export default \(number)\n".utf8).write(to: source.appendingPathComponent(path(number)))
    }
    let manifest = #"{"name": "shop", "version": "1.0.0", "origins": [{"url": "\#(origin)", "path": "/"}]}"#
    try Data(manifest.utf8).write(to: source.appendingPathComponent("bundle.json"))
    let archive = folder.appendingPathComponent("shop.tar").path
    let tar = Process()
    tar.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    tar.arguments = ["tar", "-cf", archive, "-C", source.path, "."]
    try tar.run()
    tar.waitUntilExit()
    return archive
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

/// Nanoseconds a call, as the median of the batches.
func measure(_ batches: [[String]], _ body: ([String]) -> Int) -> Int {
    for batch in batches { precondition(body(batch) == batchCount, "a file isn't found") }
    let times = (0..<roundCount).map { round in
        let (batch, start) = (batches[round % batches.count], ContinuousClock.now)
        precondition(body(batch) == batchCount, "a file isn't found")
        return start.duration(to: .now) / .nanoseconds(batchCount)
    }
    return Int(median(times))
}

func milliseconds(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    return start.duration(to: .now) / .milliseconds(1)
}

let store = folder.appendingPathComponent("store").path
var configuration = BundleClient.Configuration()
configuration.archiveFormats = .zipAndTar
let installing = try BundleClient(at: store, transport: nil, configuration: configuration)
try await installing.install(archive: makeArchive())
installing.close()

let opening = try (0..<20).map { _ in
    try milliseconds { _ = try BundleClient(at: store, transport: nil).resolve("\(origin)\(path(1))") }
}
print("opening a store of \(fileCount) files and its first look-up: \(String(format: "%.2f", median(opening))) ms")

let client = try BundleClient(at: store, transport: nil)
guard let other = resolve_loop_open(store) else { fatalError("the store can't be opened in C") }
for (name, number) in [("the same 1,000 files", 1), ("64,000 files, one after the other", 64)] {
    // Neighbours in a batch are far from each other in the store.
    let batches = (0..<number).map { batch in
        (0..<batchCount).map { origin + path((batch * batchCount + $0) &* 7_919 % fileCount) }
    }
    let swift = measure(batches) { urls in urls.reduce(0) { $0 + (client.resolve($1) == nil ? 0 : 1) } }
    let texts = Dictionary(
        uniqueKeysWithValues: batches.map { batch in
            (batch[0], batch.map { UnsafePointer(strdup($0)) })
        }
    )
    let c = measure(batches) { urls in texts[urls[0]].map { resolve_loop_run(other, $0, $0.count) } ?? 0 }
    print("resolve, \(name): \(swift) ns in Swift, \(c) ns in C, its release included")
}
resolve_loop_close(other)
client.close()
try? FileManager.default.removeItem(at: folder)
