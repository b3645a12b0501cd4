import BundleServing
import BundleStore
import BundleTesting
import Foundation
import Testing

@testable import BundleServer

@Suite("Changes of the store under the endpoint")
struct EndpointStoreChangeTests {
    @Test("an installation, a rollback and a removal by another process take effect with the next check")
    func otherProcess() async throws {
        try await withStore { store in
            try store.installShop("1.0.0", script: "old()")
            let other = try BundleStore(at: store.path)
            let clock = TestClock()
            try await withEndpoint(store, clock: clock) { endpoint in
                try await withRawConnection(to: endpoint.port) { connection in
                    #expect(try await connection.get("/shop/app.js").text == "old()")
                    try other.installShop("1.1.0", script: "new()")
                    try await clock.step(by: StoreChangeService.interval)
                    #expect(try await connection.get("/shop/app.js").text == "new()")
                    _ = try other.rollBack(BundleName("shop"))
                    try await clock.step(by: StoreChangeService.interval)
                    #expect(try await connection.get("/shop/app.js").text == "old()")
                    _ = try other.remove(BundleName("shop"), nil)
                    try await clock.step(by: StoreChangeService.interval)
                    #expect(try await connection.get("/shop/app.js").status == 404)
                }
            }
        }
    }

    @Test("a change takes effect with the real clock, too")
    func realClock() async throws {
        try await withStore { store in
            try store.installShop("1.0.0", script: "old()")
            let other = try BundleStore(at: store.path)
            try await withEndpoint(store) { endpoint in
                try other.installShop("1.1.0", script: "new()")
                try await eventually("the change") { try await endpoint.get("/shop/app.js").text == "new()" }
            }
        }
    }

    @Test("a response under way is completed from the version that it began with")
    func underWay() async throws {
        let size = 12 << 20
        try await withStore { store in
            try store.installBig([UInt8](repeating: 1, count: size), "1.0.0")
            let other = try BundleStore(at: store.path)
            let clock = TestClock()
            try await withEndpoint(store, clock: clock) { endpoint in
                let body = try await withRawConnection(to: endpoint.port) { connection in
                    try await connection.send("GET /big/big.bin HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    #expect(try await connection.head().status == 200)
                    try other.installBig([2], "1.0.1")
                    try await clock.step(by: StoreChangeService.interval)
                    _ = try other.prune(keeping: 0)
                    #expect(try await endpoint.get("/big/big.bin").body == [2])
                    return try await connection.bytes(size)
                }
                #expect(body.allSatisfy { $0 == 1 })
            }
        }
    }
}

@Suite("StoreChangeService")
struct StoreChangeServiceTests {
    /// Damages the segment that contains the shop's script, as no code of the program does.
    private func spoil(_ store: BundleStore) throws {
        let folder = "\(store.path)/segments"
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
    }

    @Test("a damaged release is reported once, at the start or when it is detected")
    func damage() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder.path(of: "store")
            do {
                let store = try BundleStore(at: path, creating: true)
                try store.installShop()
                try spoil(store)
            }
            let store = try BundleStore(at: path)
            #expect(!store.snapshot.damage.isEmpty)
            let (clock, log) = (TestClock(), RecordedLog())
            try await withEndpoint(store, clock: clock, log: log) { endpoint in
                // The watcher, and what writes statistics.
                try await clock.waitForSleeps(2)
                for _ in 0..<3 { try await clock.step(by: StoreChangeService.interval) }
                let warnings = log.lines.filter { $0.hasPrefix("warning: ") }
                #expect(warnings == store.snapshot.damage.map { "warning: not served: \($0)" })
            }
        }
    }

    /// Changes of a store's folder while it is served.
    enum Mishap: CaseIterable {
        case removed, movedAway, replaced, restoredFromCopy

        func strike(_ path: String, in folder: TemporaryDirectory) throws {
            let files = FileManager.default
            let other = folder.path(of: "other")
            switch self {
            case .removed: try files.removeItem(atPath: path)
            case .movedAway: try files.moveItem(atPath: path, toPath: other)
            case .replaced:
                try files.removeItem(atPath: path)
                try BundleStore(at: path, creating: true).installShop("2.0.0", script: "other()")
            case .restoredFromCopy:
                try files.copyItem(atPath: path, toPath: other)
                try files.removeItem(atPath: path)
                try files.moveItem(atPath: other, toPath: path)
            }
        }
    }

    @Test(
        "a store that is no longer the one that was opened makes the endpoint unready, which is reported once",
        arguments: Mishap.allCases
    )
    func replacement(_ mishap: Mishap) async throws {
        try await withTemporaryDirectory { folder in
            let store = try BundleStore(at: folder.path(of: "store"), creating: true)
            try store.installShop()
            let (clock, log) = (TestClock(), RecordedLog())
            try await withEndpoint(store, clock: clock, log: log) { endpoint in
                // The watcher, and what writes statistics.
                try await clock.waitForSleeps(2)
                // And what says that the store is served makes a file in it.
                try await eventually { store.isBeingServed == true }
                try mishap.strike(store.path, in: folder)
                for _ in 0..<3 { try await clock.step(by: StoreChangeService.interval) }
                let message =
                    "the store in \(store.path) was replaced or removed while it was in use; restart the server, or put it back"
                let ready = try await endpoint.get("/readyz")
                #expect(ready.status == 503)
                #expect(ready.text.contains(message))
                #expect(log.lines.filter { $0.hasPrefix("error: ") }.map { $0.hasSuffix(message) } == [true])
                #expect(try await endpoint.get("/shop/app.js").text == "run()")
                #expect(throws: BundleError.self) { try store.installShop("1.1.0") }
            }
        }
    }

    @Test("a store that is put back is ready again")
    func putBack() async throws {
        try await withTemporaryDirectory { folder in
            let store = try BundleStore(at: folder.path(of: "store"), creating: true)
            try store.installShop()
            let (clock, log) = (TestClock(), RecordedLog())
            try await withEndpoint(store, clock: clock, log: log) { endpoint in
                // The watcher, and what writes statistics.
                try await clock.waitForSleeps(2)
                try Mishap.movedAway.strike(store.path, in: folder)
                try await clock.step(by: StoreChangeService.interval)
                #expect(try await endpoint.get("/readyz").status == 503)
                try FileManager.default.moveItem(atPath: folder.path(of: "other"), toPath: store.path)
                try await clock.step(by: StoreChangeService.interval)
                #expect(try await endpoint.get("/readyz").status == 200)
                #expect(log.lines.contains("notice: the store can be read again"))
            }
        }
    }

    @Test(
        "a catalog that is overwritten with garbage is reported once, and is read again when it is restored in its place"
    )
    func garbage() async throws {
        try await withStore { store in
            try store.installShop()
            let (clock, log) = (TestClock(), RecordedLog())
            try await withEndpoint(store, clock: clock, log: log) { endpoint in
                // The watcher, and what writes statistics.
                try await clock.waitForSleeps(2)
                let catalog = URL(fileURLWithPath: "\(store.path)/catalog.sqlite")
                let content = try Data(contentsOf: catalog)
                try Self.overwrite(catalog, with: Data("garbage".utf8))
                for _ in 0..<3 { try await clock.step(by: StoreChangeService.interval) }
                #expect(try await endpoint.get("/readyz").status == 503)
                #expect(log.lines.filter { $0.hasPrefix("error: ") }.count == 1)
                #expect(try await endpoint.get("/shop/app.js").text == "run()")
                try Self.overwrite(catalog, with: content)
                try await clock.step(by: StoreChangeService.interval)
                #expect(try await endpoint.get("/readyz").status == 200)
            }
        }
    }

    /// In place, without a new file.
    private static func overwrite(_ file: URL, with content: Data) throws {
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: content)
        try handle.close()
    }

    @Test("a store that can't be read is reported once, and the last known state is served")
    func failure() async throws {
        try await withStore { store in
            try store.installShop()
            let (clock, log) = (TestClock(), RecordedLog())
            try await withEndpoint(store, clock: clock, log: log) { endpoint in
                // The watcher, and what writes statistics.
                try await clock.waitForSleeps(2)
                let catalogs = try FileManager.default.contentsOfDirectory(atPath: store.path)
                    .filter { $0.contains("catalog") }
                #expect(!catalogs.isEmpty)
                for name in catalogs {
                    try Data("garbage".utf8).write(to: URL(fileURLWithPath: "\(store.path)/\(name)"))
                }
                for _ in 0..<3 { try await clock.step(by: StoreChangeService.interval) }
                #expect(log.lines.filter { $0.hasPrefix("error: ") }.count == 1)
                #expect(try await endpoint.get("/readyz").status == 503)
                #expect(try await endpoint.get("/shop/app.js").text == "run()")
            }
        }
    }
}
