import BundleTesting
import Foundation
import Testing

/// Feeds in the reference implementation of a registry of containers.
@Suite(
    "In Debian's docker-registry",
    .enabled(if: DockerRegistry.isWanted, "\(DockerRegistry.advice)"),
    .timeLimit(.minutes(10))
)
struct DockerRegistryTests {
    private func active(_ bundlectl: Bundlectl) async throws -> String? {
        try await bundlectl.json("list")["bundles"]?.array?.first?["active"]?.string
    }

    private func bundlectl(_ name: String, _ publisher: Publisher, login: String? = nil) -> Bundlectl {
        let none = publisher.directory.path(of: "nobody")
        return Bundlectl(store: publisher.directory.path(of: name))
            .with(["DOCKER_CONFIG": login ?? none, "XDG_RUNTIME_DIR": none])
    }

    private func skopeo(_ arguments: String...) async throws {
        let result = try await ChildProcess.run("skopeo", ["--insecure-policy", "copy"] + arguments)
        #expect(result.exitCode == 0, "\(result.output)\(result.errorOutput)")
    }

    @Test func `a feed is published and followed with a password, and garbage collection loses nothing of it`()
        async throws
    {
        try await withPublisher { publisher, _ in
            let registry = try DockerRegistry(in: publisher.directory, "registry", .password)
            let place = "oci://\(registry.authority)/kiosk/shop"
            let login = try registry.login(in: publisher.directory)
            let (device, stranger) = (bundlectl("device", publisher, login: login), bundlectl("stranger", publisher))
            try await registry.serving {
                let refused = try await stranger.expect(69, "publish", publisher.archive("1.0.0"), "--to", place)
                #expect(refused.errorOutput.contains("docker login \(registry.authority)"))
                try await device.expect(0, "publish", publisher.archive("1.0.0"), "--to", place)
                try await device.expect(0, "install", place)
                #expect(try await active(device) == "1.0.0")
                try await stranger.expect(69, "install", place)
            }
            try #require(try await registry.collectGarbage().exitCode == 0)
            try await registry.serving {
                try await device.expect(0, "update")
                try await device.expect(0, "publish", publisher.archive("1.1.0"), "--to", place)
            }
            try #require(try await registry.collectGarbage().exitCode == 0)
            try await registry.serving {
                try await device.expect(10, "check")
                try await device.expect(0, "update")
                #expect(try await active(device) == "1.1.0")
                let new = bundlectl("new", publisher, login: login)
                try await new.expect(0, "install", place)
                #expect(try await active(new) == "1.1.0")
            }
        }
    }

    @Test func `a registry's tokens let the publisher push, and everybody pull`() async throws {
        try await withOriginServer { server in
            let tokens = try RegistryTokenService(on: server)
            try await withPublisher { publisher, _ in
                let registry = try DockerRegistry(in: publisher.directory, "registry", .tokens(tokens))
                let place = "oci://\(registry.authority)/kiosk/shop"
                let login = try registry.login(in: publisher.directory)
                try await registry.serving {
                    let stranger = bundlectl("stranger", publisher)
                    try await stranger.expect(69, "publish", publisher.archive("1.0.0"), "--to", place)
                    let device = bundlectl("device", publisher, login: login)
                    for version in ["1.0.0", "1.1.0"] {
                        try await device.expect(0, "publish", publisher.archive(version), "--to", place)
                        try await device.expect(
                            0,
                            version == "1.0.0" ? "install" : "update",
                            version == "1.0.0" ? place : "shop"
                        )
                        #expect(try await active(device) == version)
                    }
                    try await stranger.expect(0, "install", place)
                    #expect(try await active(stranger) == "1.1.0")
                }
            }
        }
    }

    @Test(.enabled(if: SeaweedFS.isInstalled, "\(SeaweedFS.advice)"))
    func `a registry that leads to an object store is read there, in ranges too`() async throws {
        try await SeaweedFS.run { store in
            try #require(try await store.makeBucket("registry").exitCode == 0)
            try await withPublisher { publisher, _ in
                let registry = try DockerRegistry(in: publisher.directory, "registry", .password, behind: store)
                let place = "oci://\(registry.authority)/kiosk/shop"
                let device = bundlectl("device", publisher, login: try registry.login(in: publisher.directory))
                try await registry.serving {
                    try await device.expect(0, "publish", publisher.archive("1.0.0"), "--to", place)
                    let archive = try Data(contentsOf: URL(fileURLWithPath: publisher.archive("1.0.0")))
                    let blob =
                        "http://\(registry.authority)/v2/kiosk/shop/blobs/\(MemoryRegistry.digest(Array(archive)))"
                    let user = "\(DockerRegistry.user):\(DockerRegistry.password)"
                    let lead = try await ChildProcess.run(
                        "curl",
                        ["--silent", "--noproxy", "*", "--head", "--request", "GET", "--user", user, blob]
                    )
                    #expect(lead.output.contains(" 307 ") && lead.output.contains("Location: \(store.url)/"))
                    try await device.expect(0, "install", place)
                    try await device.expect(0, "publish", publisher.archive("1.1.0"), "--to", place, "--patches", "0")
                    let updated = try await device.json("update")
                    #expect(updated["bundles"]?.array?.first?["plan"]?.string == "entries", "\(updated)")
                    #expect(try await active(device) == "1.1.0")
                }
            }
        }
    }

    @Test func `skopeo copies a signed feed to another registry, and a release to a folder`() async throws {
        try await withPublisher { publisher, _ in
            let directory = publisher.directory
            let (first, second) = (
                try DockerRegistry(in: directory, "first", .open), try DockerRegistry(in: directory, "second", .open)
            )
            let (keys, device) = (directory.path(of: "keys"), bundlectl("device", publisher))
            try await device.expect(0, "keys", "init", "--in", keys)
            let anchor = try #require(try await device.json("keys", "show", "--in", keys)["anchorSHA256"]?.string)
            try await first.serving {
                try await second.serving {
                    let copy = "oci://\(second.authority)/copies/shop:feed"
                    for version in ["1.0.0", "1.1.0"] {
                        let place = "oci://\(first.authority)/kiosk/shop"
                        try await device.expect(0, "publish", publisher.archive(version), "--to", place, "--keys", keys)
                        try await skopeo(
                            "--src-tls-verify=false",
                            "--dest-tls-verify=false",
                            "docker://\(first.authority)/kiosk/shop:feed",
                            "docker://\(second.authority)/copies/shop:feed"
                        )
                        if version == "1.0.0" {
                            try await device.expect(0, "install", copy, "--trust", "sha256:\(anchor)")
                        }
                    }
                    try await device.expect(0, "update")
                    #expect(try await active(device) == "1.1.0")
                    let folder = directory.path(of: "release")
                    try await skopeo(
                        "--src-tls-verify=false",
                        "docker://\(first.authority)/kiosk/shop:1.1.0",
                        "dir:\(folder)"
                    )
                    let archive = try Data(contentsOf: URL(fileURLWithPath: publisher.archive("1.1.0")))
                    let files = try FileManager.default.contentsOfDirectory(atPath: folder)
                    #expect(files.contains { FileManager.default.contents(atPath: "\(folder)/\($0)") == archive })
                }
            }
        }
    }
}
