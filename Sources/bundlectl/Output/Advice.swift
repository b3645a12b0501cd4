import BundleArchive
import BundleStore

/// What a person at a command line does about a problem: the one place that puts the library's remedies into options and verbs.
enum Advice {
    /// An error in one line.
    static func line(_ error: any Error) -> String {
        switch error {
        case let error as BundleError: line(Notice(error.problem, error.remedy))
        case let error as ArchiveError: line(Notice(error.problem, error.remedy))
        default: "\(error)"
        }
    }

    /// Damage in one line.
    static func line(_ damage: StoreDamage) -> String { line(damage.notice) }

    /// What a person should know, in one line.
    static func line(_ notice: Notice) -> String {
        notice.remedy.map { "\(notice.problem); \(text($0))" } ?? notice.problem
    }

    /// What to do.
    static func text(_ remedy: Remedy) -> String {
        switch remedy {
        case .wait: "try again later or with --wait"
        case .giveDigest: "give its SHA-256 with --sha256"
        case .replaceRelease: "raise the version, or replace it with --force"
        case .permitOverlap(let names):
            "correct the origins, or, if they are meant to share them, permit it by hand with "
                + names.map { "--allow-overlap \($0)" }.joined(separator: " ")
        case .unpin(let name, let version): "“bundlectl unpin \(name)@\(version)” lets it go"
        case .repair(let target): text(repairing: target)
        case .replaceUnrepairable(let target): text(unrepairable: target)
        case .repairBeforePruning:
            "run “bundlectl verify --repair”, remove what that can't repair, and prune again"
        case .verify: "run “bundlectl verify”"
        case .checkDisk: "check it and the system's log, then run “bundlectl verify”"
        case .openAsOwner: "run any bundlectl command once as its owner to convert it"
        case .restoreOwner(let folder, let user):
            "give its files to the store's owner with “sudo chown -R \(user) \(Printable.line(folder).shellWord)”"
        case .permitReading: Remedy.permitReading.description
        case .updateProgram: "update bundlectl"
        case .freeSpace: "free some space, “bundlectl prune” frees what old versions take, and try again"
        case .freeTemporarySpace(let folder):
            "free some space in \(Printable.line(folder)), or name another folder with TMPDIR, and try again"
        case .raiseQuota(let byteCount, let version):
            (version.map { "there is room without \($0), to which a rollback leads: --keep 0 gives it up, or " } ?? "")
                + "raise the quota with “bundlectl quota \(ByteCount.roundedUp(byteCount))”, or remove or unpin versions"
        case .setQuota: "set it again with “bundlectl quota SIZE”, or “bundlectl quota none”"
        case .nameFeed: "name one with --feed, or in its manifest"
        case .acceptOlderFeed:
            "if its publisher has started it over, accept it once with --accept-older-feed; otherwise correct the server"
        case .endTrust(let name):
            "if its publisher has begun with a new root, “bundlectl trust remove \(name)” ends the trust in the earlier one; otherwise "
                + "correct the server"
        case .giveManifest:
            "add one, name one with --manifest, or give --name and --version, and --origin for the URLs that it covers"
        case .omitNameAndVersion: "leave out --name and --version"
        case .nameCharset(let charsets):
            "name its encoding with --charset \(list(charsets)), or repack it with UTF-8 names"
        case .nameOtherCharset(let charsets):
            "try --charset with another encoding (\(charsets.joined(separator: ", "))), or repack it with UTF-8 names"
        case .nameSigningKeys: "name the folder of its keys with --keys DIR"
        case .replaceKey: "name another folder, or replace a key with “bundlectl keys rotate ROLE”"
        case .renewRoot: "make a new root with “bundlectl keys rotate root”"
        case .signFeed(let folder):
            "if it hasn't been signed since, sign it with “bundlectl keys sign --in KEYS --feed \(Printable.line(folder).shellWord)”; otherwise "
                + "restore it from a backup"
        case .writeManifest: "write one with “bundlectl init”, or name one with --manifest"
        case .leaveOutSecrets:
            "leave out what is one with a line in .bundleignore, and pack what is meant to be public with “bundlectl pack "
                + "--include PATTERN”"
        case .allowOriginNetwork(let network):
            "correct the origin, or allow it with --allow-origin-network \(network)"
        case .trustIssuer:
            "check the address, or trust the issuer's certificate with --ca-certificate FILE, or with SSL_CERT_FILE"
        case .giveFeedCredential:
            "give the host's user and password, or correct them, in a netrc file: --netrc-file FILE, or NETRC; "
                + "or a token in --credentials-file FILE; they are sent over https only"
        case .logIn(let registry):
            "log in with “docker login \(Printable.line(registry).shellWord)” as a user who may do that; “podman login” will do too"
        case .correctProxy:
            "check the proxy that --proxy names, or the variable HTTPS_PROXY, http_proxy or ALL_PROXY"
        case .giveProxyCredential:
            "give them in the variable HTTPS_PROXY, http_proxy or ALL_PROXY: http://USER:PASSWORD@HOST:PORT, percent-encoded"
        case .bypassProxy: "have the proxy permit the host, or reach it without the proxy by --no-proxy or NO_PROXY"
        case .giveBucketCredentials:
            "give an access key that permits it, or correct it: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE for one of "
                + "~/.aws/credentials"
        case .nameBucketRegion(let region): "name the bucket's region with AWS_REGION" + (region.map { "=\($0)" } ?? "")
        case .permitUnsafeConcurrency:
            "publish to another server, or permit it with --unsafe-concurrent if nobody else publishes there at the same time"
        case .change(let setting, let advice): "\(advice) with \(option(setting))"
        }
    }

    private static let repair = "“bundlectl verify --repair”"

    private static func text(repairing target: Remedy.RepairTarget) -> String {
        switch target {
        case .content: "repair it with \(repair), or reinstall the bundle"
        case .release: "repair it with \(repair), if need be with --from ARCHIVE, or reinstall it"
        case .bundleRow, .catalog: "repair it with \(repair)"
        case .namelessRow: "\(repair) finds that out, or drops it"
        case .response: "\(repair) drops it"
        }
    }

    private static func text(unrepairable target: Remedy.RepairTarget) -> String {
        let archive = "install its archive again, or name it with --from; or remove the version"
        return switch target {
        case .content: "no place that was tried has the right bytes: \(archive)"
        case .release: "no place that was tried has this release: \(archive)"
        case .bundleRow, .namelessRow, .catalog, .response: Remedy.replaceUnrepairable(target).description
        }
    }

    private static func option(_ setting: Remedy.Setting) -> String {
        switch setting {
        case .listenAddress: "--listen"
        case .adminAddress: "--admin"
        case .accessLog: "--access-log"
        case .certificate: "--tls-certificate"
        case .certificateKey: "--tls-key"
        }
    }

    /// The first, and then what else it could be.
    private static func list(_ charsets: [String]) -> String {
        "\(charsets.first ?? "") (or \(charsets.dropFirst().joined(separator: ", ")))"
    }
}
