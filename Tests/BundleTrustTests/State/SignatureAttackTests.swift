import Testing

@testable import BundleTrust

struct SignatureAttackTests {
    private let now = TestRepository.now

    /// The result for a timestamp with these signatures.
    private func code(
        _ repository: TestRepository,
        _ signatures: (_ payload: [UInt8]) throws -> [String]
    ) throws -> TrustError.Code? {
        let signed = try repository.signedTimestamp
        let payload = try CanonicalJSON.bytes(of: TestRepository.json(signed))
        let bytes = TestRepository.document(signed, signatures: try signatures(payload))
        var state = try repository.anchored()
        return TrustFailure.code(&state) { _ = try $0.updateTimestamp(bytes, at: now) }
    }

    private func signature(_ key: TestKey, _ payload: [UInt8]) throws -> String {
        #"{"keyid": "\#(key.name)", "sig": "\#(try key.sign(payload))"}"#
    }

    @Test("each stolen key alone signs its own role, and no other")
    func stolenKeys() throws {
        let repository = TestRepository()
        let keys = [repository.root, repository.timestamp, repository.snapshot, repository.targets].map { $0.keys[0] }
        let documents: [(TestKey, String, (inout TrustedState, [UInt8]) throws -> Void)] = [
            (
                keys[0], repository.signedRoot.replacing(#""version": 1"#, with: #""version": 2"#),
                { try $0.updateRoot($1) }
            ),
            (keys[1], try repository.signedTimestamp, { _ = try $0.updateTimestamp($1, at: TestRepository.now) }),
            (keys[2], try repository.signedSnapshot, { try $0.updateSnapshot($1, at: TestRepository.now) }),
            (
                keys[3], repository.signedTargets(repository.targets, named: "targets", ["evil.zip"]),
                { try $0.updateTargets($1, at: TestRepository.now) }
            ),
        ]
        for (own, signed, update) in documents {
            for key in keys {
                var state = try repository.trusted()
                let bytes = try TestRepository.document(signed, by: [key])
                let code = TrustFailure.code(&state) { try update(&$0, bytes) }
                #expect(code == (key == own ? nil : .tooFewSignatures), "\(key.name) for \(own.name)")
            }
            var state = try repository.trusted()
            let bytes = try TestRepository.document(signed, by: keys.filter { $0 != own })
            #expect(TrustFailure.code(&state) { try update(&$0, bytes) } == .tooFewSignatures)
        }
    }

    @Test("a threshold needs as many keys, of those that may sign", arguments: 1...4)
    func threshold(_ threshold: Int) throws {
        var repository = TestRepository()
        let keys = [TestKey.ed25519(11), .p256(12), .ed25519(13)]
        repository.timestamp.keys = keys
        repository.timestamp.threshold = threshold
        for count in 0...3 {
            let code = try code(repository) { payload in
                try (keys.prefix(count) + [.ed25519(14)]).map { try signature($0, payload) }
            }
            #expect(code == (count < threshold ? .tooFewSignatures : nil))
        }
    }

    @Test("a second signature of a key is refused, also beside enough others")
    func duplicateSignatures() throws {
        var repository = TestRepository()
        for threshold in [1, 2] {
            repository.timestamp.threshold = threshold
            let code = try code(repository) { payload in
                let own = try signature(repository.timestamp.keys[0], payload)
                return [own, own]
            }
            #expect(code == .invalidMetadata)
        }
    }

    @Test("a key under two names counts once", arguments: [false, true])
    func duplicateKeys(_ isP256: Bool) throws {
        func make(_ seed: UInt8, _ name: String) -> TestKey {
            isP256 ? .p256(seed, named: name) : .ed25519(seed, named: name)
        }
        var repository = TestRepository()
        let (key, same) = (make(11, "a"), make(11, "b"))
        repository.timestamp.keys = [key, same]
        repository.timestamp.threshold = 2
        let isBoth = try code(repository) { payload in [try signature(key, payload), try signature(same, payload)] }
        #expect(isBoth == .tooFewSignatures)
        repository.timestamp.keys.append(make(12, "c"))
        let isOther = try code(repository) { payload in
            try repository.timestamp.keys.map { try signature($0, payload) }
        }
        #expect(isOther == nil)
    }

    @Test("a key that is listed twice for a role counts once")
    func repeatedName() throws {
        var repository = TestRepository()
        repository.timestamp.keys += repository.timestamp.keys
        repository.timestamp.threshold = 2
        let code = try code(repository) { [try signature(repository.timestamp.keys[0], $0)] }
        #expect(code == .tooFewSignatures)
    }

    @Test("an invalid signature is no harm beside enough others", arguments: ["", "00", "no digits", "é"])
    func invalidSignatures(_ text: String) throws {
        var repository = TestRepository()
        repository.timestamp.keys = [.ed25519(11), .p256(12)]
        let invalid = #"{"keyid": "ec-12", "sig": "\#(text)"}"#
        #expect(try code(repository) { [invalid, try signature(.ed25519(11), $0)] } == nil)
        #expect(try code(repository) { _ in [invalid] } == .tooFewSignatures)
    }

    @Test("keys of unknown types vouch for nothing, and do no harm")
    func unknownKeys() throws {
        var repository = TestRepository()
        repository.otherKeys = [#""new": \#(TestKey.json("ml-dsa", "ml-dsa-65", "00"))"#]
        #expect(try code(repository) { [try signature(repository.timestamp.keys[0], $0)] } == nil)
        #expect(try code(repository) { _ in [#"{"keyid": "new", "sig": "00"}"#] } == .tooFewSignatures)
    }

    @Test("names of keys that are equal for String alone are different ones")
    func equivalentNames() throws {
        var repository = TestRepository()
        repository.timestamp.keys = [.ed25519(11, named: "\u{E9}"), .ed25519(12, named: "e\u{301}")]
        repository.timestamp.threshold = 2
        #expect(try code(repository) { [try signature(.ed25519(11, named: "\u{E9}"), $0)] } == .tooFewSignatures)
        let isBoth = try code(repository) { payload in
            try repository.timestamp.keys.map { try signature($0, payload) }
        }
        #expect(isBoth == nil)
        let crossed = try code(repository) { payload in
            [
                try signature(.ed25519(12, named: "\u{E9}"), payload),
                try signature(.ed25519(11, named: "e\u{301}"), payload),
            ]
        }
        #expect(crossed == .tooFewSignatures)
    }
}
