import BundleTesting
import Foundation
import Testing

@testable import BundleStore

@Suite("Durable")
struct DurableTests {
    @Test("publishing renames the file, replacing an existing one")
    func publish() async throws {
        try await withStore { store, directory in
            let (new, old) = (FileIdentifier.random(), FileIdentifier.random())
            try directory.write("new", to: "store/incoming/\(new.name)")
            try directory.write("old", to: "store/segments/\(old.name).segment")
            try Durable.publish(store.layout.temporary(new), as: store.layout.segment(old), in: store.layout.segments)
            #expect(try directory.read("store/segments/\(old.name).segment") == Array("new".utf8))
            #expect(try directory.snapshot(of: "store/incoming").entries.isEmpty)
        }
    }

    @Test("publishing a missing file fails and leaves the existing one")
    func publishMissing() async throws {
        try await withStore { store, directory in
            let old = FileIdentifier.random()
            try directory.write("old", to: "store/segments/\(old.name).segment")
            #expect(throws: (any Error).self) {
                let layout = store.layout
                try Durable.publish(layout.temporary(.random()), as: layout.segment(old), in: layout.segments)
            }
            #expect(try directory.read("store/segments/\(old.name).segment") == Array("old".utf8))
        }
    }

    @Test("removing a missing file is not an error, removing a folder is")
    func remove() async throws {
        try await withStore { store, _ in
            try Durable.remove(store.layout.temporary(.random()))
            #expect(throws: (any Error).self) { try Durable.remove(store.layout.incoming) }
        }
    }

    @Test("folders are created with their parents, and creating them again is not an error")
    func makeFolder() async throws {
        try await withTemporaryDirectory { directory in
            let store = directory.path(of: "a/b/c")
            for _ in 0..<2 { _ = try BundleStore(at: store, creating: true) }
            #expect(FileManager.default.fileExists(atPath: store + "/segments"))
        }
    }
}
