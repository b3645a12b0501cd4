import BundleTrust
import Testing

enum TrustFailure {
    /// The code of the error that `body` throws, or nil when it throws none.
    static func code(_ body: () throws -> Void) -> TrustError.Code? {
        do {
            try body()
            return nil
        } catch let error as TrustError {
            return error.code
        } catch {
            Issue.record(error)
            return nil
        }
    }

    /// The same of a change of `state`, which must be as before after an error.
    static func code(_ state: inout TrustedState, _ change: (inout TrustedState) throws -> Void) -> TrustError.Code? {
        let before = versions(state)
        let code = code { try change(&state) }
        if code != nil { #expect(versions(state) == before) }
        return code
    }

    private static func versions(_ state: TrustedState) -> [Int?] {
        [
            state.root.version, state.timestamp?.version, state.snapshot?.version, state.targets?.version,
            state.isSnapshotCurrent ? 1 : 0,
        ]
    }
}
