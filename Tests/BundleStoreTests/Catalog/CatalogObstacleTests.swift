import BundleTesting
import Foundation
import Testing

@testable import BundleStore

@Suite("An obstacle to opening the catalog")
struct CatalogObstacleTests {
    @Test("is named if it is a folder in place of a file", arguments: ["", "-wal"], [false, true])
    func folder(_ suffix: String, _ creating: Bool) async throws {
        try await withTemporaryDirectory { directory in
            do { try directory.openStore().install("1.0.0") }
            let path = directory.path(of: "store/catalog.sqlite" + suffix)
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            let error = #expect(throws: BundleError.self) {
                try BundleStore(at: directory.path(of: "store"), creating: creating)
            }
            #expect(error?.code == .storeUnavailable)
            #expect(error?.message.hasPrefix("\(path) is a folder or a device") == true, "\(error?.message ?? "")")
        }
    }

    @Test("is named if it may not be read", .enabled(if: geteuid() != 0, "root may read everything"))
    func permission() async throws {
        try await withTemporaryDirectory { directory in
            do { try directory.openStore().install("1.0.0") }
            for path in ["catalog.sqlite", "segments/", "indexes/"] {
                let name = path.hasSuffix("/") ? path + (try directory.names(in: String(path.dropLast()))[0]) : path
                let file = directory.path(of: "store/" + name)
                try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file)
                defer { try? FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file) }
                let error = #expect(throws: BundleError.self) { try directory.openStore() }
                #expect(error?.code == .storeUnavailable)
                #expect(error?.message.contains(name) == true)
                #expect(error?.message.contains("check the permissions, or run as the owner") == true)
            }
        }
    }
}
