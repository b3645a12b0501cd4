import BundleStore
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
                + (store.map(bundles) ?? []) + (place.isFolder ? leftovers() : []), store
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

    private func leftovers() -> [Finding] {
        do {
            let (byteCount, abandoned) = try examination.transientFiles()
            return LeftoverCheck.findings(byteCount: byteCount, abandonedByteCount: abandoned)
        } catch {
            return [Finding(.leftovers, error, .warning)]
        }
    }
}
