import BundleStore
import Testing

@testable import bundlectl

@Suite("What doctor says of permissions")
struct PermissionCheckTests {
    static func folder(
        _ path: String = "/s",
        owner: UInt32 = 1000,
        mode: UInt16 = 0o755,
        isReadable: Bool = true,
        isWritable: Bool = true
    ) -> FileAccess {
        FileAccess(
            path: path,
            owner: owner,
            mode: mode,
            isFolder: true,
            isReadable: isReadable,
            isWritable: isWritable
        )
    }

    @Test(
        "names the place and a command",
        arguments: [
            ([folder()], nil, [.ok], nil),
            ([folder(isReadable: false, isWritable: false)], nil, [.error], "chmod u+rwx /s"),
            ([folder(isWritable: false)], nil, [.warning], "chmod u+w /s"),
            ([folder(owner: 0, isWritable: false)], nil, [.warning], "run bundlectl as user 0"),
            ([folder(mode: 0o777)], nil, [.warning], "chmod o-w /s"),
            ([folder()], folder("/", mode: 0o777), [.warning], "chmod o-w /"),
            // The sticky bit, as /tmp has it.
            ([folder()], folder("/tmp", mode: 0o1777), [.ok], nil),
            ([folder(), folder("/s/indexes", owner: 0)], nil, [.warning], "chown -R 1000 /s"),
            ([folder("/a b's", mode: 0o777)], nil, [.warning], #"chmod o-w '/a b'\''s'"#),
        ] as [([FileAccess], FileAccess?, [Finding.State], String?)]
    )
    func findings(_ places: [FileAccess], _ parent: FileAccess?, _ states: [Finding.State], _ remedy: String?) {
        let findings = PermissionCheck.findings(places, parent: parent, user: 1000)
        #expect(findings.map(\.state) == states)
        if let remedy {
            #expect(findings[0].remedy?.contains(remedy) == true)
        } else {
            #expect(findings[0].remedy == nil)
        }
    }
}
