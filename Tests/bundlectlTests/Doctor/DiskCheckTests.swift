import BundleStore
import Testing

@testable import bundlectl

@Suite("What doctor says of the disk")
struct DiskCheckTests {
    static func made(
        free: Int64 = 100_000_000_000,
        files: Int64? = 100_000,
        isReadOnly: Bool = false,
        weakness: VolumeCondition.Weakness? = nil
    ) -> VolumeCondition {
        VolumeCondition(
            freeByteCount: free,
            reservedByteCount: 1_000_000_000,
            freeFileCount: files,
            isReadOnly: isReadOnly,
            weakness: weakness
        )
    }

    @Test(
        "is the worst of its conditions",
        arguments: [
            (made(), .ok, "100 GB free for /store"), (made(files: nil), .ok, "100 GB free"),
            (made(free: 2_000_000_001), .ok, "2.0 GB free"), (made(free: 2_000_000_000), .warning, "are kept free"),
            (made(free: 1_000_000_000), .error, "nothing can be installed"),
            (made(files: 999), .warning, "room for 999 more files"), (made(files: 0), .error, "room for 0 more"),
            (made(isReadOnly: true), .warning, "mounted read-only"),
            (made(weakness: .remote("NFS")), .warning, "/store is on NFS"),
            (made(weakness: .withoutPermissions("FAT")), .warning, "/store is on FAT"),
            (made(weakness: .inMemory), .warning, "in memory"),
        ] as [(VolumeCondition, Finding.State, String)]
    )
    func condition(_ volume: VolumeCondition, _ state: Finding.State, _ text: String) {
        let findings = DiskCheck.findings(volume, at: "/store", use: nil)
        #expect(findings.map(\.state) == [state])
        #expect(findings[0].message.contains(text))
        #expect(findings[0].subject == .disk)
        #expect((findings[0].remedy == nil) == (state == .ok))
    }

    @Test("tells everything that is wrong at once")
    func several() {
        let volume = Self.made(free: 0, files: 0, isReadOnly: true, weakness: .inMemory)
        #expect(
            DiskCheck.findings(volume, at: "/store", use: nil).map(\.state) == [.error, .error, .warning, .warning]
        )
    }
}
