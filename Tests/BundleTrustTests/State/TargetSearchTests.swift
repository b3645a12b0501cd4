import BundleModel
import Testing

@testable import BundleTrust

struct TargetSearchTests {
    private static let now = TestRepository.now
    typealias Edge = (delegator: String, role: String, isTerminating: Bool, paths: String)

    private static func repository(_ edges: [Edge]) -> TestRepository {
        var repository = TestRepository()
        repository.delegated = edges.map {
            TestRepository.Delegated(
                name: $0.role,
                delegator: $0.delegator,
                role: TestRepository.Role(.ed25519(70)),
                paths: $0.paths,
                isTerminating: $0.isTerminating
            )
        }
        return repository
    }

    @Test("the documents of one search have so many bytes together")
    func byteCount() throws {
        var repository = Self.repository([Self.edge("targets", "A"), Self.edge("targets", "B")])
        // Some 150 bytes each.
        for index in repository.delegated.indices {
            repository.delegated[index].targets = (0..<9_000).map { "\(index)-\($0)" }
        }
        var search = try repository.trusted().search(for: TargetPath("none"), at: Self.now)
        try search.supply(repository.delegatedDocument("A"))
        let document = try repository.delegatedDocument("B")
        #expect(document.count < TrustLimits.searchByteCount)
        #expect(TrustFailure.code { try search.supply(document) } == .tooLarge)
    }

    private static func edge(_ delegator: String, _ role: String, ends: Bool = false, _ pattern: String = "*") -> Edge {
        (delegator, role, ends, #""paths": ["\#(pattern)"]"#)
    }

    @Test(
        "roles are asked in preorder, each once, as far as they are trusted with the path",
        arguments: [
            ([edge("targets", "A")], "A"),
            ([edge("targets", "A"), edge("targets", "B"), edge("B", "C")], "A B C"),
            ([edge("targets", "A"), edge("targets", "B"), edge("A", "C"), edge("A", "D")], "A C D B"),
            ([edge("targets", "A"), edge("targets", "B"), edge("A", "C"), edge("C", "D")], "A C D B"),
            ([edge("targets", "A"), edge("targets", "B"), edge("A", "C", ends: true), edge("A", "D")], "A C"),
            ([edge("targets", "A"), edge("targets", "B"), edge("A", "C", ends: true), edge("C", "D")], "A C D"),
            ([edge("targets", "A", ends: true, "*.py"), edge("targets", "B"), edge("A", "C")], "B"),
            (
                [
                    edge("targets", "A"), edge("targets", "B"), edge("B", "C"), edge("C", "D"), edge("D", "B"),
                    edge("D", "A"),
                ], "A B C D"
            ),
            ([edge("targets", "A"), edge("targets", "B"), edge("B", "C"), edge("A", "C")], "A C B"),
            ([edge("targets", "A"), edge("targets", "B"), edge("B", "C"), edge("A", "C", "*.py")], "A B C"),
            ([("targets", "A", false, #""path_hash_prefixes": ["", "ff"]"#)], "A"),
            ([("targets", "A", false, #""path_hash_prefixes": ["x", "AB"]"#)], ""),
            ([], ""),
        ] as [([Edge], String)]
    )
    func preorder(_ edges: [Edge], _ visits: String) throws {
        let repository = Self.repository(edges)
        var search = try repository.trusted().search(for: TargetPath("missing"), at: Self.now)
        #expect(try repository.visits(&search).joined(separator: " ") == visits)
        guard case .absent = search.progress else {
            Issue.record("\(search.progress)")
            return
        }
    }

    @Test("a role is trusted with the paths whose SHA-256 begins with its prefix")
    func hashPrefixes() throws {
        let digest = Digest(of: Array("shop/a".utf8)).hex
        for (prefix, isAsked) in [(digest, true), (String(digest.prefix(2)), true), ("zz", false)] {
            let paths = #""path_hash_prefixes": ["\#(prefix)"]"#
            let repository = Self.repository([("targets", "A", false, paths)])
            var search = try repository.trusted().search(for: TargetPath("shop/a"), at: Self.now)
            #expect(try repository.visits(&search).isEmpty != isAsked)
        }
    }

    @Test("the first role that vouches for a path is believed, and those at the top before all others")
    func priority() throws {
        var repository = Self.repository([Self.edge("targets", "A"), Self.edge("targets", "B")])
        repository.delegated[0].targets = ["a.zip"]
        repository.delegated[1].targets = ["shop.zip", "a.zip", "b.zip"]
        let state = try repository.trusted()
        for (path, role) in [("shop.zip", "targets"), ("a.zip", "A"), ("b.zip", "B")] {
            var search = try state.search(for: TargetPath(path), at: Self.now)
            _ = try repository.visits(&search)
            guard case .found(let target, let finder) = search.progress else {
                Issue.record("\(path): \(search.progress)")
                continue
            }
            #expect(finder.text.string == role)
            try target.file.verify(Array(path.utf8), named: path)
        }
    }

    @Test("a role is verified with the keys of the one that leads to it, on each way")
    func currentDelegator() throws {
        var repository = Self.repository([
            Self.edge("targets", "A", "a.*"), Self.edge("targets", "B", "b.*"), Self.edge("A", "C", "a.*"),
            Self.edge("B", "C", "b.*"),
        ])
        repository.delegated[2].targets = ["a.zip", "b.zip"]
        repository.delegated[3].role.keys = [.ed25519(71)]
        let state = try repository.trusted()
        var search = try state.search(for: TargetPath("a.zip"), at: Self.now)
        #expect(try repository.visits(&search) == ["A", "C"])
        guard case .found = search.progress else {
            Issue.record("\(search.progress)")
            return
        }
        // C has signed with the key that A gives it, and not with the one of B.
        search = try state.search(for: TargetPath("b.zip"), at: Self.now)
        #expect(TrustFailure.code { _ = try repository.visits(&search) } == .tooFewSignatures)
        guard case .needs(let request) = search.progress else {
            Issue.record("\(search.progress)")
            return
        }
        #expect(request.role == RoleName(delegated: "C"))
    }

    @Test("a role that isn't in the snapshot ends the search before it is asked for")
    func unlistedRole() throws {
        let repository = Self.repository([Self.edge("targets", "A")])
        let signed = try repository.signedSnapshot.replacing("A.json", with: "B.json")
        var state = try repository.anchored()
        #expect(try state.updateTimestamp(repository.timestampDocument(), at: Self.now))
        try state.updateSnapshot(TestRepository.document(signed, by: repository.snapshot.keys), at: Self.now)
        try state.updateTargets(repository.targetsDocument(), at: Self.now)
        #expect(TrustFailure.code { _ = try state.search(for: TargetPath("x"), at: Self.now) } == .unlistedRole)
        #expect(TrustFailure.code { _ = try state.search(for: TargetPath("shop.zip"), at: Self.now) } == nil)
    }

    @Test("an older document of a role, or one that has expired, is refused, and asked for still")
    func delegatedDocuments() throws {
        let repository = Self.repository([Self.edge("targets", "A")])
        let state = try repository.trusted()
        var other = repository
        other.delegated[0].role.version = 2
        var expired = repository
        expired.delegated[0].role.expiry = TestRepository.past
        var search = try state.search(for: TargetPath("x"), at: Self.now)
        let documents = [try other.delegatedDocument("A"), try expired.delegatedDocument("A")]
        #expect(TrustFailure.code { try search.supply(documents[0]) } == .wrongVersion)
        #expect(TrustFailure.code { try search.supply(documents[1]) } == .expired)
        #expect(try repository.visits(&search) == ["A"])
    }

    @Test("no more than 32 roles are asked, however long a chain or a list of them is")
    func bound() throws {
        let chain = (0..<40).map { Self.edge($0 == 0 ? "targets" : "r\($0 - 1)", "r\($0)") }
        let list = (0..<40).map { Self.edge("targets", "r\($0)") }
        for edges in [chain, list] {
            var repository = Self.repository(edges)
            repository.delegated[31].targets = ["last.zip"]
            repository.delegated[32].targets = ["late.zip"]
            let state = try repository.trusted()
            var search = try state.search(for: TargetPath("late.zip"), at: Self.now)
            #expect(try repository.visits(&search).count == TrustLimits.visitedRoleCount)
            if case .found = search.progress { Issue.record("the 33rd role was asked") }
            search = try state.search(for: TargetPath("last.zip"), at: Self.now)
            _ = try repository.visits(&search)
            guard case .found = search.progress else {
                Issue.record("the 32nd role wasn't asked")
                continue
            }
        }
    }

    @Test(
        "a delegation that is malformed makes its document invalid",
        arguments: [
            ("A", #""paths": ["*"], "path_hash_prefixes": ["00"]"#), ("A", #""x": 1"#), ("A", #""paths": [1]"#),
            ("A", #""paths": "*""#), ("targets", #""paths": ["*"]"#), ("", #""paths": ["*"]"#),
            ("A", #""path_hash_prefixes": [1]"#),
        ]
    )
    func malformed(_ name: String, _ paths: String) throws {
        let repository = Self.repository([("targets", name, false, paths)])
        let signed = repository.signedTargets(repository.targets, named: "targets", [])
        let bytes = try TestRepository.document(signed, by: repository.targets.keys)
        var plain = try TestRepository().trusted()
        #expect(TrustFailure.code(&plain) { try $0.updateTargets(bytes, at: Self.now) } == .invalidMetadata)
    }

    @Test("two delegations of one role to the same name are refused")
    func duplicateNames() throws {
        let repository = Self.repository([Self.edge("targets", "A"), Self.edge("targets", "A")])
        #expect(TrustFailure.code { _ = try repository.trusted() } == .invalidMetadata)
    }
}
