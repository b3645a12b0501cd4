import BundleTesting
import Foundation
import Testing

@testable import BundleStore

@Suite("Durable")
struct DurableTests {
    @Test("publishing gives the file its name, in place of what had it")
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

    @Test("publishing a file that isn't there fails and leaves what had the name")
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

    @Test("removing what isn't there is fine, removing a folder isn't")
    func remove() async throws {
        try await withStore { store, _ in
            try Durable.remove(store.layout.temporary(.random()))
            #expect(throws: (any Error).self) { try Durable.remove(store.layout.incoming) }
        }
    }

    @Test("folders are made with those above them, and again without complaint")
    func makeFolder() async throws {
        try await withTemporaryDirectory { directory in
            let store = directory.path(of: "a/b/c")
            for _ in 0..<2 { _ = try BundleStore(at: store, creating: true) }
            #expect(FileManager.default.fileExists(atPath: store + "/segments"))
        }
    }
}
