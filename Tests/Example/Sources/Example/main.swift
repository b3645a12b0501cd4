// Usage: Example FOLDER ARCHIVE SITE
//
// Installs a bundle of SITE/shop/ from an archive into a store in FOLDER, loads from all layers, and updates it. The lines
// between the two rules stand in README too.

import Foundation
import OfflineBundles

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

let (folder, archive, site) = (CommandLine.arguments[1], CommandLine.arguments[2], CommandLine.arguments[3])

// ----
let client = try BundleClient(at: folder)
try await client.seed(archive: archive)  // shipped with the app
let file = client.resolve("\(site)/shop/")  // at once, on this thread
let page = try await client.load("\(site)/shop/", isPage: true).bytes()
let stock = try await client.load("\(site)/shop/api/stock.json")  // not in the bundle: network, then cache

let settings = URLSessionConfiguration.default
BundleURLProtocol.install(client, in: settings)
let session = URLSession(configuration: settings)  // loads in the same way

let updates = try await client.updateAll()
// ----

if let file { print("resolved \(file.asset.path): \(file.mediaType), \(file.contents.count) bytes") }
print("loaded \(page.count) bytes")
print("stock: \(stock.head.status.code) from \(stock.source.layer), \(try await stock.bytes().count) bytes")
for update in updates {
    if let error = update.error { throw error }
    if case .updated(_, let report, _)? = update.value { print("updated \(update.name) to \(report.version)") }
}

for path in ["/shop/", "/shop/api/stock.json", "/shop/api/stock.json"] {
    let response = try await client.load(site + path)
    let version = response.source.release.map { " \($0.version)" } ?? ""
    print("\(path): \(response.head.status.code) from \(response.source.layer)\(version)")
}
if let url = URL(string: "\(site)/shop/") {
    let (data, response) = try await session.data(from: url)
    print("session: \((response as? HTTPURLResponse)?.statusCode ?? 0), \(data.count) bytes")
}
let other = try BundleClient(at: URL(fileURLWithPath: folder), configuration: configurationWithLastResort())
let image = try await other.load("https://stats.example.com/hit")
print("\(image.head.status): \(image.head.headerFields[.contentType] ?? ""), \(try await image.data().count) bytes")
other.close()
print("origins that are out: \(client.originStates.filter { $0.outSince != nil }.map(\.origin))")
client.close()
