import BundleStore
import BundleUpdate
import Foundation

/// What is looked at of a store: gathers what the system and the store say, and has it judged.
struct StoreInspection {
    let path: String
    let examination: StoreExamination

    init(of path: String) {
        self.path = path
        examination = StoreExamination(at: path)
    }

    /// Everything but the network, and the store when it can be opened.
    func run() -> (findings: [Finding], store: BundleStore?) {
        let place: FileAccess
        do {
            place = try FileAccess(of: path)
        } catch {
            return ([absence(error)] + disk(at: examination.parent, nil), nil)
        }
        let opened = Result { try examination.open() }
        let store = try? opened.get()
        return (
            [state(opened)] + permissions(place) + disk(at: path, try? store?.storageUse()) + catalog(opened)
                + (store.map { bundles($0) + trust($0) } ?? []) + (place.isFolder ? leftovers() : []), store
        )
    }

    private func absence(_ error: any Error) -> Finding {
        let remedy = "“bundlectl install ARCHIVE” makes one; --store DIR names another"
        return Finding(.error, .store, "there is no store in \(path): \(error)", remedy: remedy)
    }

    private func state(_ opened: Result<BundleStore, any Error>) -> Finding {
        switch opened {
        case .failure(let error): Finding(.store, error)
        case .success:
            Finding(
                .ok,
                .store,
                path + (examination.isServed == true ? ", a server serves it" : "")
                    + (examination.isBusy == true ? ", a process is changing it" : "")
            )
        }
    }

    private func permissions(_ root: FileAccess) -> [Finding] {
        let places = examination.places.compactMap { try? FileAccess(of: $0) }
        let parent = try? FileAccess(of: examination.parent)
        return PermissionCheck.findings(places, parent: parent, user: UInt32(geteuid()))
    }

    private func disk(at path: String, _ use: StorageUse?) -> [Finding] {
        do {
            return DiskCheck.findings(try VolumeCondition(of: path), at: path, use: use)
        } catch {
            return [Finding(.error, .disk, "\(path) can't be reached: \(error)")]
        }
    }

    /// Opening says more of a catalog that isn't there, or that a newer program has written.
    private func catalog(_ opened: Result<BundleStore, any Error>) -> [Finding] {
        do {
            let problems = try examination.catalogProblems()
            return CatalogCheck.findings(problems, logByteCount: examination.logByteCount)
        } catch {
            if case .failure = opened { return [] }
            return [Finding(.catalog, error)]
        }
    }

    private func bundles(_ store: BundleStore) -> [Finding] {
        do {
            // Reads each index completely; the contents are for verify.
            try store.checkIndexes()
            return BundleCheck.findings(store.snapshot)
        } catch {
            return [Finding(.bundles, error)]
        }
    }

    private func trust(_ store: BundleStore) -> [Finding] {
        do {
            let reports = try store.trustAnchors().keys.sorted().compactMap { try TrustReport(of: $0, in: store) }
            return TrustCheck.findings(
                count: reports.count,
                until: reports.compactMap(\.expires).min(),
                reports.flatMap(\.warnings),
                clock: try store.trustClock()
            )
        } catch {
            return [Finding(.trust, error)]
        }
    }

    private func leftovers() -> [Finding] {
        do {
            let (byteCount, abandoned) = try examination.transientFiles()
            return LeftoverCheck.findings(byteCount: byteCount, abandonedByteCount: abandoned)
        } catch {
            return [Finding(.leftovers, error, .warning)]
        }
    }
}

/// The catalog's database. Pure.
enum CatalogCheck {
    /// Longer than this, it is read slowly: a reader has kept it from being taken over for long.
    private static let longLogByteCount: Int64 = 64_000_000

    /// - Parameters:
    ///   - problems: What SQLite has found.
    ///   - logByteCount: The length of the write-ahead log in bytes.
    static func findings(_ problems: [String], logByteCount: Int64) -> [Finding] {
        guard problems.isEmpty else {
            let advice = "restore it from a copy, or move the folder away and install the bundles again"
            return [
                Finding(.error, .catalog, "the catalog is damaged: \(problems.joined(separator: "; "))", remedy: advice)
            ]
        }
        let size = ByteCount.text(logByteCount)
        guard logByteCount <= longLogByteCount else {
            let message = "the catalog's log has \(size): a program has been reading for long"
            return [Finding(.warning, .catalog, message, remedy: "restart the servers of this store")]
        }
        return [Finding(.ok, .catalog, "SQLite finds it sound, log of \(size)")]
    }
}

/// The bundles: what opening their indexes and segments tells. Pure.
enum BundleCheck {
    static func findings(_ snapshot: StoreSnapshot) -> [Finding] {
        let damage = snapshot.damage.map { damage in
            Finding(.error, .bundles, damage.notice.problem, remedy: damage.remedy.map(Advice.text))
        }
        let idle = snapshot.sortedBundles.filter { $0.activeVersion == nil && !$0.isDegraded && !$0.releases.isEmpty }
        let bundles = idle.map { bundle in
            let version = bundle.releases.first.map { "\($0.version)" } ?? "VERSION"
            return Finding(
                .warning,
                .bundles,
                "\(bundle.name) has no active version",
                remedy: "bundlectl activate \(bundle.name)@\(version)"
            )
        }
        let findings = damage + snapshot.degradations.map { Finding(.error, .bundles, $0) } + bundles
        guard findings.isEmpty else { return findings }
        guard !snapshot.bundles.isEmpty else {
            return [Finding(.warning, .bundles, "none is installed", remedy: "bundlectl install ARCHIVE")]
        }
        let count = Quantity.text(snapshot.bundles.count, "bundle")
        return [Finding(.ok, .bundles, "\(count) can be opened; “bundlectl verify” reads all bytes")]
    }
}

/// What interrupted work has left. Pure.
enum LeftoverCheck {
    /// What is kept that a download can go on from: no problem until it takes this much.
    private static let noticedByteCount: Int64 = 100_000_000

    static func findings(byteCount: Int64, abandonedByteCount: Int64) -> [Finding] {
        guard abandonedByteCount > 0 else {
            let use = byteCount == 0 ? "none" : "none; \(ByteCount.text(byteCount)) are being written or downloaded"
            return [Finding(.ok, .leftovers, use)]
        }
        return [
            Finding(
                abandonedByteCount < noticedByteCount ? .ok : .warning,
                .leftovers,
                "\(ByteCount.text(abandonedByteCount)) of interrupted installs and downloads, which the next ones go on from",
                remedy: "“bundlectl prune” removes what is old"
            )
        ]
    }
}
