import BundleTesting
import Testing

@testable import BundleStore
@testable import bundlectl

@Suite("The file system of a store")
struct VolumeConditionTests {
    private static let table = """
        22 28 0:21 / /proc rw,nosuid shared:12 - proc proc rw
        28 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw
        40 28 0:44 / /srv/share rw,relatime - nfs4 host:/share rw,vers=4.2
        41 28 0:45 / /odd rw
        """

    @Test(
        "is found by its device",
        arguments: [(0xFE01, "ext4"), (0x2C, "nfs4"), (0x15, "proc"), (0x2D, nil), (0x99, nil)] as [(UInt64, String?)]
    )
    func kind(_ device: UInt64, _ kind: String?) {
        #expect(VolumeCondition.kind(ofDevice: device, in: Self.table) == kind)
    }

    @Test("has room, and isn't there for a folder that isn't")
    func real() async throws {
        try await withTemporaryDirectory { directory async throws in
            let volume = try VolumeCondition(of: directory.path)
            #expect(volume.freeByteCount > 0)
            #expect(!volume.isReadOnly)
            #expect(throws: (any Error).self) { try VolumeCondition(of: directory.path(of: "missing")) }
        }
    }
}
