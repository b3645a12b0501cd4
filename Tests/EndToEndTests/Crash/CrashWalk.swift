import BundleTesting
import Foundation

/// Makes one command fail at every step in turn, each time from the same old state, and examines the result.
struct CrashWalk: Sendable {
    private let site: CrashSite
    private let action: FaultAction
    private let command: [String]
    /// The steps of a run without a fault.
    private let steps: [FaultStep]
    private let landings: [CrashLanding]
    /// What is trusted before and after the command.
    private let trust: (old: StoreTrust, new: StoreTrust)

    /// Walks through the steps of a scenario.
    ///
    /// - Parameter takesAllSteps: Whether all steps of one kind are taken; otherwise only the first and the last of
    ///   each kind.
    static func run(
        _ scenario: CrashScenario,
        _ action: FaultAction,
        takesAllSteps: Bool
    ) async throws -> CrashReport {
        try await withTemporaryDirectory { directory in
            let feed = scenario.needsFeed ? OriginServer() : nil
            try await feed?.start()
            do {
                let walk = try await CrashWalk(scenario, action, at: CrashSite(directory, feed: feed))
                let numbers = takesAllSteps ? Array(1...walk.steps.count) : walk.firstAndLastOfEachKind
                let steps = try await walk.take(numbers)
                await feed?.stop()
                return CrashReport(
                    scenario: scenario.name,
                    action: action,
                    stepCount: walk.steps.count,
                    takenCount: numbers.count,
                    steps: steps
                )
            } catch {
                await feed?.stop()
                throw error
            }
        }
    }

    private init(_ scenario: CrashScenario, _ action: FaultAction, at site: CrashSite) async throws {
        self.site = site
        self.action = action
        try await scenario.prepare(site)
        command = try await scenario.command(site)
        let new = try site.copy(site.before, to: "new")
        let first = try await FaultyRun(command, in: new)
        guard first.result.exitCode == 0 else { throw CrashReport.Finding(description: first.result.errorOutput) }
        steps = first.steps

        trust = (try site.trust(in: site.before), try site.trust(in: new))
        let (old, done) = (try site.look(at: site.before), try site.look(at: new))
        guard old.state != done.state || old.inventory != done.inventory else {
            throw CrashReport.Finding(description: "\(scenario.name) changes nothing, so that nothing can be found out")
        }
        var landings = [
            CrashLanding(name: "old", state: old.state, again: CrashLanding.Outcome(exitCode: 0, of: done)),
            try await site.landing("new", at: new, command),
        ]
        if let halfway = try await scenario.halfway?(site) {
            let folder = try site.copy(site.before, to: "halfway")
            _ = try await Bundlectl(store: folder + "/store").run(halfway)
            landings.append(try await site.landing("halfway", at: folder, command))
        }
        self.landings = landings
    }

    /// The numbers of the steps that are the first or the last of their kind on a kind of file: the first ones come
    /// before the commit, and the last ones after it.
    private var firstAndLastOfEachKind: [Int] {
        var (first, last): ([String: Int], [String: Int]) = ([:], [:])
        for (number, step) in zip(1..., steps) {
            if first[step.shape] == nil { first[step.shape] = number }
            last[step.shape] = number
        }
        return Set(first.values).union(last.values).sorted()
    }

    private func take(_ numbers: [Int]) async throws -> [Result<String, CrashReport.Finding>] {
        typealias Numbered = (number: Int, result: Result<String, CrashReport.Finding>)
        let width = ProcessInfo.processInfo.activeProcessorCount
        return try await withThrowingTaskGroup(of: Numbered.self) { group in
            var results: [Numbered] = []
            for (index, number) in numbers.enumerated() {
                if index >= width, let result = try await group.next() { results.append(result) }
                // Not every time, because the library has just done the same.
                group.addTask { Numbered(number, try await take(number, readsToo: index % 10 == 9)) }
            }
            for try await result in group { results.append(result) }
            return results.sorted { $0.number < $1.number }.map(\.result)
        }
    }

    /// Makes one step fail.
    ///
    /// - Parameter readsToo: Whether the commands that read are tried on the result.
    /// - Returns: The name of the state that was found.
    private func take(_ number: Int, readsToo: Bool) async throws -> Result<String, CrashReport.Finding> {
        let name = "step-\(number)"
        defer { site.remove(name) }
        let folder = try site.copy(site.before, to: name)
        let run = try await FaultyRun(command, in: folder, fault: (action, number))
        do {
            try checkSteps(of: run, upTo: number)
            let landing = try find(site.state(in: folder))
            try checkEnd(of: run, in: landing)
            try checkTrust(site.trust(in: folder))
            if readsToo, !landing.state.lines.isEmpty { try await checkReading(folder) }
            try await checkAgain(folder, from: landing)
            return .success(landing.name)
        } catch {
            let place = "\(action) at step \(steps[number - 1])"
            return .failure(CrashReport.Finding(description: "\(place): \(error)"))
        }
    }

    private func checkSteps(of run: FaultyRun, upTo number: Int) throws {
        let (found, expected) = (run.steps.prefix(number).map(\.shape), steps.prefix(number).map(\.shape))
        guard found != expected else { return }
        let index = zip(found, expected).prefix { $0 == $1 }.count
        let step = index < run.steps.count ? run.steps[index].description : "no step \(index + 1)"
        throw CrashReport.Finding(description: "another run took other steps: \(step) instead of \(steps[index])")
    }

    private func find(_ state: StoreState) throws -> CrashLanding {
        if let landing = landings.first(where: { $0.state == state }) { return landing }
        let differences = landings.map { "from \($0.name): \(state.differences(from: $0.state))" }
        throw CrashReport.Finding(description: "neither old nor new; \(differences.joined(separator: "; "))")
    }

    /// A program that was not killed reports its result, and never claims what it didn't do.
    private func checkEnd(of run: FaultyRun, in landing: CrashLanding) throws {
        let result = run.result
        let lines = result.errorOutput.split(separator: "\n")
        let isAsItShould: Bool
        switch result.ending {
        case .signal(let signal):
            let isTrue = result.output.isEmpty || landing.name != "old"
            isAsItShould = action.kills && signal == SIGKILL && isTrue
        case .exit(0): isAsItShould = !action.kills && landing.name != "old"
        case .exit(let code): isAsItShould = !action.kills && code == 73 && lines.count == 1
        }
        guard !isAsItShould else { return }
        throw CrashReport.Finding(
            description:
                "\(result.ending) after “\(result.output)\(result.errorOutput)”, and the state is \(landing.name)"
        )
    }

    private func checkTrust(_ found: StoreTrust) throws {
        guard !found.isAtLeast(trust.old) || !trust.new.isAtLeast(found) else { return }
        throw CrashReport.Finding(description: "it trusts \(found), which isn't between \(trust.old) and \(trust.new)")
    }

    private func checkReading(_ folder: String) async throws {
        let copy = try site.copy(folder, to: "\(URL(fileURLWithPath: folder).lastPathComponent)-read")
        defer { site.remove(URL(fileURLWithPath: copy).lastPathComponent) }
        for verb in ["verify", "list"] {
            let result = try await Bundlectl(store: copy + "/store").run([verb])
            guard result.exitCode != 0 else { continue }
            throw CrashReport.Finding(description: "\(verb) then ends with \(result.ending): \(result.errorOutput)")
        }
    }

    /// The same command once more, on the first one's result.
    private func checkAgain(_ folder: String, from landing: CrashLanding) async throws {
        let result = try await Bundlectl(store: folder + "/store").run(command)
        let expected = landing.again
        guard result.exitCode == expected.exitCode else {
            throw CrashReport.Finding(
                description: "from \(landing.name), again: \(result.ending): \(result.errorOutput)"
            )
        }
        // In its place: nobody looks at this folder after that.
        let store = folder + "/store"
        let (state, inventory) = (try StoreState(ofStoreIn: store), try StoreInventory(pruning: store))
        let differences = state.differences(from: expected.state) + inventory.differences(from: expected.inventory)
        let trusted = try StoreTrust(ofStoreIn: store)
        guard trusted == trust.new else {
            throw CrashReport.Finding(
                description: "from \(landing.name), again, it trusts \(trusted), not \(trust.new)"
            )
        }
        guard differences.isEmpty else {
            throw CrashReport.Finding(
                description: "from \(landing.name), again, it leaves something else: \(differences)"
            )
        }
    }
}

extension CrashSite {
    /// The state of the store in a folder, which isn't changed.
    fileprivate func state(in folder: String) throws -> StoreState {
        try withCopy(of: folder) { try StoreState(ofStoreIn: $0) }
    }

    /// What the store in a folder trusts, which isn't changed.
    fileprivate func trust(in folder: String) throws -> StoreTrust {
        try withCopy(of: folder) { try StoreTrust(ofStoreIn: $0) }
    }

    /// The state and the files of the store in a folder, which isn't changed.
    fileprivate func look(at folder: String) throws -> (state: StoreState, inventory: StoreInventory) {
        try withCopy(of: folder) { (try StoreState(ofStoreIn: $0), try StoreInventory(pruning: $0)) }
    }

    /// The result of a command on the store in a folder, which isn't changed.
    fileprivate func landing(_ name: String, at folder: String, _ command: [String]) async throws -> CrashLanding {
        let copy = try copy(folder, to: "again-\(name)")
        let result = try await Bundlectl(store: copy + "/store").run(command)
        let outcome = CrashLanding.Outcome(exitCode: result.exitCode, of: try look(at: copy))
        return CrashLanding(name: name, state: try state(in: folder), again: outcome)
    }

    /// Opening a store repairs it, but the next command must find it as it was left.
    private func withCopy<Result>(of folder: String, _ body: (_ store: String) throws -> Result) throws -> Result {
        let name = URL(fileURLWithPath: folder).lastPathComponent + "-look"
        let copy = try copy(folder, to: name)
        defer { remove(name) }
        return try body(copy + "/store")
    }
}

extension CrashLanding.Outcome {
    fileprivate init(exitCode: Int32?, of look: (state: StoreState, inventory: StoreInventory)) {
        self.init(exitCode: exitCode, state: look.state, inventory: look.inventory)
    }
}
