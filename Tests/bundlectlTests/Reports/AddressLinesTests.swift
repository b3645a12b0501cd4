import BundleServer
import BundleServing
import BundleStore
import BundleTesting
import Testing

@testable import bundlectl

struct AddressLinesTests {
    @Test("each bundle has a line with its name, the version that is served, and its address")
    func lines() async throws {
        try await withTemporaryDirectory { directory in
            let store = try BundleStore(at: directory.path(of: "store"), creating: true)
            try store.install(try .sample("shop", "1.4.0", #""origins": []"#), files: ["index.html": "shop"])
            try store.install(try .sample("docs", "3", #""origins": []"#), files: ["index.html": "docs"])
            let addresses = BundleAddresses(mounts: [], hosts: [], sharesOrigin: false)
            #expect(
                AddressLines.text(store.snapshot, addresses, at: "http://127.0.0.1:8080") == """
                    docs 3: http://docs.localhost:8080/
                    shop 1.4.0: http://shop.localhost:8080/

                    """
            )
            #expect(AddressLines.text(store.snapshot, addresses, at: "unix:/run/bundles") == "")
            let behind = BundleAddresses(
                mounts: ["shop=/m"].compactMap { Mount($0) },
                publicURLs: [try OriginURL("https://kiosk.example/kiosk/")]
            )
            #expect(
                AddressLines.text(store.snapshot, behind, at: "http://127.0.0.1:8080") == """
                    docs 3: http://docs.localhost:8080/
                    shop 1.4.0: https://kiosk.example/kiosk/m/

                    """
            )
        }
    }
}
