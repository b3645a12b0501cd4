import BundleArchive
import BundleStore
import BundleTar
import BundleTesting
import Testing

@testable import bundlectl

@Suite("Advice")
struct AdviceTests {
    private static let names = ["shop", "news"].compactMap { BundleName($0) }
    private static let version: BundleVersion = "1.0.0"

    /// What is said at the command line and by the library.
    private static let remedies: [(Remedy, String, String)] = [
        (.wait, "try again later or with --wait", "try again later"),
        (.giveDigest, "give its SHA-256 with --sha256", "give its SHA-256"),
        (.replaceRelease, "raise the version, or replace it with --force", "raise the version, or have it replaced"),
        (
            .permitOverlap(with: names),
            "correct the origins, or, if they are meant to share them, permit it by hand with --allow-overlap shop "
                + "--allow-overlap news",
            "correct the origins, or, if they are meant to share them, permit the overlap with shop, news"
        ),
        (
            .repair(.content), "repair it with “bundlectl verify --repair”, or reinstall the bundle",
            "repair the store, or reinstall the bundle"
        ),
        (
            .repair(.release),
            "repair it with “bundlectl verify --repair”, if need be with --from ARCHIVE, or reinstall it",
            "repair the store, if need be from the release's archive, or reinstall it"
        ),
        (.repair(.bundleRow), "repair it with “bundlectl verify --repair”", "repair the store"),
        (.repair(.catalog), "repair it with “bundlectl verify --repair”", "repair the store"),
        (
            .repair(.namelessRow), "“bundlectl verify --repair” finds that out, or drops it",
            "a repair finds that out, or drops it"
        ),
        (.repair(.response), "“bundlectl verify --repair” drops it", "a repair drops it"),
        (
            .replaceUnrepairable(.content),
            "no place that was tried has the right bytes: install its archive again, or name it with --from; or remove the "
                + "version",
            "no place that was tried has the right bytes: install its archive again, or repair the store from that; or "
                + "remove the version"
        ),
        (
            .replaceUnrepairable(.release),
            "no place that was tried has this release: install its archive again, or name it with --from; or remove the "
                + "version",
            "no place that was tried has this release: install its archive again, or repair the store from that; or "
                + "remove the version"
        ),
        (
            .repairBeforePruning, "run “bundlectl verify --repair”, remove what that can't repair, and prune again",
            "repair the store, remove what that can't repair, and prune again"
        ),
        (.verify, "run “bundlectl verify”", "verify the store"),
        (
            .endTrust("shop"),
            "if its publisher has begun with a new root, “bundlectl trust remove shop” ends the trust in the earlier one; "
                + "otherwise correct the server",
            "if the publisher of shop has begun with a new root, end the trust in the feed; otherwise correct the server"
        ),
        (
            .checkDisk, "check it and the system's log, then run “bundlectl verify”",
            "check it and the system's log, then verify the store"
        ),
        (
            .openAsOwner, "run any bundlectl command once as its owner to convert it",
            "open it once as its owner to convert it"
        ),
        (.updateProgram, "update bundlectl", "update this program"),
        (
            .freeSpace, "free some space, “bundlectl prune” frees what old versions take, and try again",
            "free some space, or prune the store, and try again"
        ),
        (
            .freeTemporarySpace("/tmp"), "free some space in /tmp, or name another folder with TMPDIR, and try again",
            "free some space in /tmp, or use another folder for temporary files, and try again"
        ),
        (
            .raiseQuota(to: 12, orGiveUp: nil),
            "raise the quota with “bundlectl quota 1KB”, or remove or unpin versions",
            "raise the quota to 1KB, or remove or unpin versions"
        ),
        (
            .raiseQuota(to: 12, orGiveUp: "shop@1.0.0"),
            "there is room without shop@1.0.0, to which a rollback leads: --keep 0 gives it up, or raise the quota with "
                + "“bundlectl quota 1KB”, or remove or unpin versions",
            "there is room without shop@1.0.0, to which a rollback leads: give it up, or raise the quota to 1KB, or "
                + "remove or unpin versions"
        ),
        (.setQuota, "set it again with “bundlectl quota SIZE”, or “bundlectl quota none”", "set it again"),
        (.nameFeed, "name one with --feed, or in its manifest", "name one in its manifest, or for the update"),
        (
            .giveManifest,
            "add one, name one with --manifest, or give --name and --version, and --origin for the URLs that it covers",
            "add one, or give the release's name, version and origins"
        ),
        (.omitNameAndVersion, "leave out --name and --version", "leave out the name and the version"),
        (
            .nameCharset(["gbk", "cp437"]),
            "name its encoding with --charset gbk (or cp437), or repack it with UTF-8 names",
            "name its encoding (gbk, cp437), or repack it with UTF-8 names"
        ),
        (
            .nameOtherCharset(["gbk", "cp437"]),
            "try --charset with another encoding (gbk, cp437), or repack it with UTF-8 names",
            "try another encoding (gbk, cp437), or repack it with UTF-8 names"
        ),
        (.nameSigningKeys, "name the folder of its keys with --keys DIR", "name the folder of its keys"),
        (.writeManifest, "write one with “bundlectl init”, or name one with --manifest", "write one"),
        (
            .leaveOutSecrets,
            "leave out what is one with a line in .bundleignore, and pack what is meant to be public with “bundlectl pack "
                + "--include PATTERN”",
            "exclude what is one, and include what is meant to be public"
        ),
        (
            .allowOriginNetwork("private"), "correct the origin, or allow it with --allow-origin-network private",
            "correct the origin, or allow origins at private addresses"
        ),
        (
            .trustIssuer,
            "check the address, or trust the issuer's certificate with --ca-certificate FILE, or with SSL_CERT_FILE",
            "check the address, or have the issuer's certificate trusted"
        ),
        (
            .giveFeedCredential,
            "give the host's user and password, or correct them, in a netrc file: --netrc-file FILE, or NETRC; "
                + "or a token in --credentials-file FILE; they are sent over https only",
            "give the server's user and password, or correct them"
        ),
        (
            .logIn("ghcr.io"),
            "log in with “docker login ghcr.io” as a user who may do that; “podman login” will do too",
            "log in to ghcr.io as a user who may do that"
        ),
        (
            .correctProxy, "check the proxy that --proxy names, or the variable HTTPS_PROXY, http_proxy or ALL_PROXY",
            "check the address of the proxy"
        ),
        (
            .giveProxyCredential,
            "give them in the variable HTTPS_PROXY, http_proxy or ALL_PROXY: http://USER:PASSWORD@HOST:PORT, percent-encoded",
            "give the user and the password for the proxy"
        ),
        (
            .bypassProxy, "have the proxy permit the host, or reach it without the proxy by --no-proxy or NO_PROXY",
            "have the proxy permit the host, or reach the host without it"
        ),
        (
            .giveBucketCredentials,
            "give an access key that permits it, or correct it: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE for one of "
                + "~/.aws/credentials",
            "give an access key that permits it, or correct it"
        ),
        (
            .nameBucketRegion("eu-west-3"), "name the bucket's region with AWS_REGION=eu-west-3",
            "name the bucket's region, eu-west-3"
        ),
        (.nameBucketRegion(nil), "name the bucket's region with AWS_REGION", "name the bucket's region"),
        (
            .permitUnsafeConcurrency,
            "publish to another server, or permit it with --unsafe-concurrent if nobody else publishes there at the same time",
            "publish to another server, or permit it if nobody else publishes there at the same time"
        ),
        (.change(.listenAddress, "choose another port"), "choose another port with --listen", "choose another port"),
        (.change(.adminAddress, "choose another port"), "choose another port with --admin", "choose another port"),
        (.change(.accessLog, "choose another file"), "choose another file with --access-log", "choose another file"),
        (.change(.certificate, "name another"), "name another with --tls-certificate", "name another"),
        (.change(.certificateKey, "name another"), "name another with --tls-key", "name another"),
    ]

    @Test("names options and verbs, which the library doesn't know", arguments: remedies)
    func wording(_ remedy: Remedy, _ advice: String, _ description: String) {
        #expect(Advice.text(remedy) == advice)
        #expect(remedy.description == description)
        let error = BundleError(.invalidArgument, "what is wrong", remedy)
        #expect(Advice.line(error) == "what is wrong; \(advice)")
        #expect(error.message == "what is wrong; \(description)")
        #expect(Advice.line(Notice("what is wrong", remedy)) == "what is wrong; \(advice)")
    }

    @Test("how a version is kept is told with the verb that lets it go")
    func unpinning() throws {
        let name = try #require(Self.names.first)
        #expect(Advice.text(.unpin(name, Self.version)) == "“bundlectl unpin shop@1.0.0” lets it go")
        #expect(Remedy.unpin(name, Self.version).description == "unpin shop@1.0.0 first")
    }

    @Test(
        "both report alike what the archive doesn't repair",
        arguments: [Remedy.RepairTarget.bundleRow, .namelessRow, .catalog, .response]
    )
    func unrepairable(_ target: Remedy.RepairTarget) {
        let remedy = Remedy.repair(target).afterRepair
        #expect(remedy == .replaceUnrepairable(target) && remedy.afterRepair == remedy)
        #expect(Advice.text(remedy) == remedy.description)
    }

    @Test("an error without a remedy is told as it is, and so is one of another kind")
    func plain() {
        #expect(Advice.line(BundleError(.invalidFeed, "wrong")) == "wrong")
        #expect(Advice.line(OutputError(reason: "full")) == "\(OutputError(reason: "full"))")
    }

    @Test("an archive's error has its option too")
    func archive() async throws {
        try await withTemporaryDirectory { folder in
            var entry = ZipFixtureEntry(name: [0xC4, 0xE3, 0xBA, 0xC3], contents: [1])
            entry.flags = 0
            let path = try folder.write(ZipFixture([entry]).bytes, to: "a.zip")
            let error = #expect(throws: ArchiveError.self) {
                try ArchiveReader(path: path, formats: .zipAndTar).nextEntry()
            }
            #expect(
                try Advice.line(#require(error)).hasSuffix(
                    "has a name that isn't UTF-8; name its encoding with --charset gbk (or shift_jis, cp437, latin1), or "
                        + "repack it with UTF-8 names"
                )
            )
        }
    }
}
