import BundleModel
import Testing

@testable import BundleTrust

struct FileNameTests {
    @Test(
        "a role's file stays in its folder, however the role is called",
        arguments: [
            ("feed", "feed.json"), ("?", "%3F.json"), ("#", "%23.json"), ("/role", "%2Frole.json"),
            ("../role", "..%2Frole.json"), ("..", "...json"), (".", "..json"), ("a b", "a%20b.json"),
            ("é", "%C3%A9.json"), ("e\u{301}", "e%CC%81.json"), ("\0", "%00.json"), ("a_-.~Z9", "a_-.~Z9.json"),
        ]
    )
    func roles(_ name: String, _ fileName: String) throws {
        let role = try #require(RoleName(delegated: name))
        #expect(role.fileName == fileName)
        #expect(role.fileName(version: 7) == "7.\(fileName)")
    }

    @Test(
        "no name, a long one and those of the four roles are none of delegated roles",
        arguments: ["", "root", "timestamp", "snapshot", "targets", String(repeating: "/", count: 67)]
    )
    func refusedRoles(_ name: String) {
        #expect(RoleName(delegated: name) == nil)
    }

    @Test(
        "a target's file has its hash before its name in a consistent snapshot",
        arguments: [
            ("a.zip", "a.zip", "00ff.a.zip"),
            ("d/é #?.zip", "d/%C3%A9%20%23%3F.zip", "d/00ff.%C3%A9%20%23%3F.zip"),
        ]
    )
    func targets(_ text: String, _ plain: String, _ consistent: String) throws {
        let path = try TargetPath(text)
        let target = try SignedTarget(element(#"{"length": 1, "hashes": {"sha512": "aa", "sha256": "00ff"}}"#))
        #expect(try target.filePath(path, isConsistentSnapshot: false) == plain)
        #expect(try target.filePath(path, isConsistentSnapshot: true) == consistent)
        let unknown = try SignedTarget(element(#"{"length": 1, "hashes": {"md5": "aa"}}"#))
        let error = #expect(throws: TrustError.self) { try unknown.filePath(path, isConsistentSnapshot: true) }
        #expect(error?.code == .unsupportedHash)
    }

    @Test("a hash that is a path leads nowhere else")
    func hostileHash() throws {
        let target = try SignedTarget(element(#"{"length": 1, "hashes": {"sha256": "../../x"}}"#))
        #expect(try target.filePath(TargetPath("a"), isConsistentSnapshot: true) == "..%2F..%2Fx.a")
    }

    @Test(
        "a path that could leave the folder of targets is refused",
        arguments: [
            "", "/a", "../a", "a/..", "a/./b", "a//b", "a/", "a\\b", "a\0b", "a\nb",
            String(repeating: "a", count: TrustLimits.pathByteCount + 1),
        ]
    )
    func refusedPaths(_ text: String) {
        let error = #expect(throws: TrustError.self) { try TargetPath(text) }
        #expect(error?.code == .invalidPath)
    }

    private func element(_ text: String) throws -> JSONElement {
        try JSONElement(parsing: Array(text.utf8), named: "t", maximumByteCount: .max, refusedAs: .invalidFeed)
    }
}
