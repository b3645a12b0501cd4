import HTTPTypes
import Testing

@testable import BundleUpdate

/// What is understood of `WWW-Authenticate`.
struct RegistryChallengeTests {
    @Test(
        arguments: [
            ([], []),
            ([#"Basic realm="r""#], [RegistryChallenge(scheme: "basic", ["realm": "r"])]),
            (
                [#"Bearer realm="https://a.example/token",service="s", scope="repository:a/b:pull,push""#],
                [
                    RegistryChallenge(
                        scheme: "bearer",
                        ["realm": "https://a.example/token", "service": "s", "scope": "repository:a/b:pull,push"]
                    )
                ]
            ),
            (
                [#"bearer Realm = plain , service="a \"b\"",Negotiate, Basic realm=x"#],
                [
                    RegistryChallenge(scheme: "bearer", ["realm": "plain", "service": #"a "b""#]),
                    RegistryChallenge(scheme: "negotiate"),
                    RegistryChallenge(scheme: "basic", ["realm": "x"]),
                ]
            ),
            (
                [#"Basic realm="a""#, #"Bearer realm="b""#],
                [
                    RegistryChallenge(scheme: "basic", ["realm": "a"]),
                    RegistryChallenge(scheme: "bearer", ["realm": "b"]),
                ]
            ),
            ([#"Bearer realm="a",realm="b""#], [RegistryChallenge(scheme: "bearer", ["realm": "a"])]),
            ([#"Bearer realm="never closed"#], [RegistryChallenge(scheme: "bearer")]),
            (["=,=", ",,,", "\""], []), (["realm=x"], []),
            (["Negotiate abc=="], [RegistryChallenge(scheme: "negotiate")]),
        ] as [([String], [RegistryChallenge])]
    )
    func `challenges are read in their order, as far as they are well-formed`(
        _ lines: [String],
        _ expected: [RegistryChallenge]
    ) {
        var fields = HTTPFields()
        for line in lines { fields.append(HTTPField(name: .wwwAuthenticate, value: line)) }
        #expect(RegistryChallenge.all(in: fields).prefix(expected.count) == expected[...])
    }
}
