import CBundle
import Testing

@testable import BundleCInterface

@Suite("Room and damage from C")
struct StorageTests {
    @Test("a program sets a quota, pins, prunes, clears the cache, verifies and repairs")
    func calls() throws {
        try withSampleClient { client, _ in
            var (error, report): (OpaquePointer?, OpaquePointer?)
            #expect(ob_set_quota(client, 1 << 30, &error) == OB_OK)
            report = ob_quota(client, &error)
            try expect(&report) { ob_report_quota($0, 0)?.pointee.quota == 1 << 30 }
            #expect(ob_pin(client, "shop", "1.0.0", &error) == OB_OK)
            #expect(ob_prune(client, 0, &report, &error) == OB_OK)
            try expect(&report) { ob_report_prune($0, 0)?.pointee.version_count == 0 }
            #expect(ob_unpin(client, "shop", "1.0.0", &error) == OB_OK)
            #expect(ob_prune(client, 0, &report, &error) == OB_OK)
            try expect(&report) { ob_report_prune($0, 0)?.pointee.version_count == 1 }
            #expect(ob_clear_cache(client, "shop", &error) == OB_OK && ob_clear_cache(client, nil, &error) == OB_OK)
            #expect(ob_clear_cache(client, "news", nil) == OB_NOT_FOUND)
            #expect(ob_verify(client, nil, nil, nil, &report, &error) == OB_OK)
            try expect(&report) { ob_report_count($0) == 0 }
            #expect(ob_repair(client, "shop", nil, nil, nil, &error) == OB_OK)
            #expect(error == nil)
            #expect(ob_pin(client, "shop", "2.0.0", nil) == OB_NOT_FOUND)
        }
    }

    @Test("the versions of a report say which one is active")
    func releases() throws {
        try withSampleClient { client, _ in
            let report = ob_bundles(client)
            defer { ob_report_free(report) }
            #expect(ob_report_count(report) == 2)
            let active = try #require(ob_report_release(report, 0)).pointee
            #expect(String(cString: active.version) == "1.1.0")
            #expect(active.flags == ob_release_flags(OB_RELEASE_ACTIVE | OB_RELEASE_SERVING))
            let earlier = try #require(ob_report_release(report, 1)).pointee
            #expect(String(cString: earlier.version) == "1.0.0" && earlier.flags == 0 && earlier.file_count == 2)
        }
    }

    /// Checks a report, and frees it.
    private func expect(_ report: inout OpaquePointer?, _ isRight: (OpaquePointer) -> Bool) throws {
        let pointer = try #require(report)
        #expect(isRight(pointer))
        ob_report_free(pointer)
        report = nil
    }
}
