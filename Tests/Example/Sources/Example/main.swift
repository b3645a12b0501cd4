// Usage: Example FOLDER ARCHIVE SITE
//
// Installs a bundle of SITE/shop/ from an archive into a store in FOLDER, loads two URLs, and updates it. The lines
// between the two rules stand in README too.

import BundleInstall
import BundleNetwork
import BundleServing
import BundleStore
import BundleTransport

let (folder, archive, site) = (CommandLine.arguments[1], CommandLine.arguments[2], CommandLine.arguments[3])

// ----
let store = try BundleStore(at: folder, creating: true)
let (network, installer) = (NIOTransport(), Installer(store))
let installed = try installer.install(archive: archive)
let file = ResourceResolver(store.snapshot).resolve("\(site)/shop/")

let responder = LayeredResponder(store, transport: network)
let page = try await responder.load("\(site)/shop/").bytes()
let stock = try await responder.load("\(site)/shop/api/stock.json")  // not in the bundle: network, then cache

let updater = Updater(store, installer: installer, transport: network)
let checks = try await updater.checkAll()
let updates = try await updater.updateAll()
await responder.precache()  // what the manifest names as “precache”, also when the network returns
// ----

print("installed \(installed.name) \(installed.version)")
if let file { print("resolved \(file.asset.path): \(file.mediaType), \(file.contents.count) bytes") }
print("loaded \(page.count) bytes")
print("stock: \(stock.head.status.code) from \(stock.source.layer), \(try await stock.bytes().count) bytes")
for check in checks {
    print("check of \(check.name): \(try check.result?.get().available?.version.string ?? "nothing")")
}
for update in updates {
    if case .updated(_, let report) = try update.result?.get() { print("updated \(update.name) to \(report.version)") }
}

for path in ["/shop/", "/shop/api/stock.json", "/shop/api/stock.json"] {
    let response = try await responder.load(site + path)
    let version = response.source.release.map { " \($0.version)" } ?? ""
    print("\(path): \(response.head.status.code) from \(response.source.layer)\(version)")
}
print("origins that are out: \(responder.originStates.filter { $0.outSince != nil }.map(\.origin))")
await network.shutdown()
