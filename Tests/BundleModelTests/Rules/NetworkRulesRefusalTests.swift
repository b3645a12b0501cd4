import Testing

@testable import BundleModel

@Suite("The parser of network refuses")
struct NetworkRulesRefusalTests {
    private static func rule(_ members: String) -> String { #"{"rules": [{}, {\#(members)}]}"# }
    private static func list(_ count: Int, _ value: (Int) -> String) -> String {
        "[\((0..<count).map(value).joined(separator: ","))]"
    }
    private static let long = String(repeating: "a/", count: 8) + String(repeating: "a", count: 240)

    /// The value of `network`, and the message after `bundle.json: network`.
    static let values: [(String, String)] = [
        ("[]", ": must be an object, but is a list"),
        (#"{"rule": []}"#, ".rule: this key is not known; use rules, precache"),
        (#"{"rules": {}}"#, ".rules: must be a list, but is an object"),
        (#"{"rules": [1]}"#, ".rules[0]: must be an object, but is a number"),
        (
            "{\"rules\": \(list(257) { _ in "{}" })}",
            ".rules: has 257 rules; the limit is 256; cover several cases with one"
        ),
        (
            #"{"rules": \#(list(40) { #"{"match": {"path": "/\#($0)/\#(long)"}}"# })}"#,
            ": has patterns of 10390 bytes together; the limit is 8192; cover many paths with one “*” or “**”"
        ),
        (rule(#""macth": {}"#), ".rules[1].macth: this key is not known; use match, onlyIfMetered, strategy, "),
        (rule(#""match": {"paths": "/a"}"#), ".rules[1].match.paths: this key is not known; use path, suffix, "),
        (rule(#""match": {"path": 1}"#), ".rules[1].match.path: must be a string, but is a number"),
        (rule(#""match": {"path": []}"#), ".rules[1].match.path: is an empty list; leave it out for any value"),
        (
            rule(#""match": {"path": ["/a", "a/b"]}"#),
            ".rules[1].match.path[1]: “a/b” is not a pattern: write a path of "
        ),
        (rule(#""match": {"path": ["/a", "/a"]}"#), ".rules[1].match.path[1]: is named twice; keep one"),
        (
            rule(#""match": {"path": \#(list(17) { #""/\#($0)""# })}"#),
            ".rules[1].match.path: has 17 values; the limit is 16; write a second rule"
        ),
        (rule(#""match": {"path": ""}"#), ".rules[1].match.path: “” is not a pattern: "),
        (rule(#""match": {"path": "/a**"}"#), ".rules[1].match.path: “/a**” is not a pattern: "),
        (rule(#""match": {"path": "ftp://a/b"}"#), ".rules[1].match.path: “ftp://a/b” is not a pattern: "),
        (
            rule(#""match": {"path": "https://*.example/"}"#),
            ".rules[1].match.path: “https://*.example/” is not a pattern: "
        ),
        (rule(#""match": {"path": "https://a/b?c"}"#), ".rules[1].match.path: “https://a/b?c” is not a pattern: "),
        (rule(#""match": {"path": "https://a/%2a"}"#), ".rules[1].match.path: “https://a/%2a” is not a pattern: "),
        (rule(#""match": {"suffix": "a/b"}"#), ".rules[1].match.suffix: “a/b” is not the end of a file's name: "),
        (rule(#""match": {"suffix": ""}"#), ".rules[1].match.suffix: “” is not the end of a file's name: "),
        (rule(#""match": {"mediaType": "image"}"#), ".rules[1].match.mediaType: “image” is not a media type, such as "),
        (rule(#""match": {"mediaType": "*/*"}"#), ".rules[1].match.mediaType: “*/*” is not a media type, such as "),
        (rule(#""match": {"kind": "picture"}"#), ".rules[1].match.kind: “picture” is none of navigation, script, "),
        (
            rule(#""match": {"method": "get"}"#),
            ".rules[1].match.method: “get” is not a method in upper case, such as GET"
        ),
        (rule(#""match": {"method": "A B"}"#), ".rules[1].match.method: “A B” is not a method in upper case, "),
        (rule(#""onlyIfMetered": "yes""#), ".rules[1].onlyIfMetered: must be true or false, but is a string"),
        (
            rule(#""strategy": "cache-only", "offline": "never""#),
            ".rules[1].offline: has no effect beside “cache-only”; remove one of the two"
        ),
        (
            rule(#""strategy": "cache""#),
            ".rules[1].strategy: “cache” is none of bundle-only, cache-first, network-first, "
        ),
        (rule(#""strategy": "network-first", "timeLimit": 0"#), ".rules[1].timeLimit: must be 1 to 60000 milliseconds"),
        (
            rule(#""strategy": "network-first", "timeLimit": 60001"#),
            ".rules[1].timeLimit: must be 1 to 60000 milliseconds"
        ),
        (
            rule(#""strategy": "network-first", "timeLimit": 1.5"#),
            ".rules[1].timeLimit: must be a whole number, but is 1.5"
        ),
        (
            rule(#""strategy": "network-first", "timeLimit": "2s""#),
            ".rules[1].timeLimit: must be a whole number, but is a string"
        ),
        (
            rule(#""timeLimit": 5"#),
            ".rules[1].timeLimit: has no effect without the strategy “network-first”; remove it, or give that strategy"
        ),
        (rule(#""offline": "sometimes""#), ".rules[1].offline: “sometimes” is none of never, always"),
        (
            rule(#""strategy": "network-only", "offline": "always""#),
            ".rules[1].offline: has no effect beside “network-only”; remove one of the two"
        ),
        (
            rule(#""match": {"mediaType": "text/html"}, "offline": "always""#),
            ".rules[1].offline: is decided before the response's media type is known; "
        ),
        (rule(#""offline": "always", "keepDays": 0"#), ".rules[1].keepDays: must be 1 to 3650 days"),
        (rule(#""offline": "always", "keepDays": 3651"#), ".rules[1].keepDays: must be 1 to 3650 days"),
        (
            rule(#""offline": "never", "keepDays": 3"#),
            ".rules[1].keepDays: has no effect without “offline”: “always”; remove it, or add that"
        ),
        (
            rule(#""keepAuthorized": true"#),
            ".rules[1].keepAuthorized: has no effect without “offline”: “always”; remove it, or add that"
        ),
        (
            rule(#""userCookies": []"#),
            ".rules[1].userCookies: has no effect without “offline”: “always”; remove it, or add that"
        ),
        (
            rule(#""offline": "always", "userCookies": ["a", "a=b"]"#),
            ".rules[1].userCookies[1]: “a=b” is not the name of a cookie of at most 256 bytes"
        ),
        (
            rule(#""offline": "always", "userCookies": ["a", "a"]"#),
            ".rules[1].userCookies[1]: is named twice; keep one"
        ),
        (
            rule(#""requestFields": {"put": {}}"#),
            ".rules[1].requestFields.put: this key is not known; use set, add, remove"
        ),
        (
            rule(#""requestFields": {"set": {"Host": "a"}}"#),
            ".rules[1].requestFields.set.Host: rules may not change this field; remove it here"
        ),
        (
            rule(#""requestFields": {"add": {"Transfer_Encoding": "chunked"}}"#),
            ".rules[1].requestFields.add.Transfer_Encoding: rules may not change this field; remove it here"
        ),
        (
            rule(#""requestFields": {"set": {"Authorization": "Basic eA=="}}"#),
            ".rules[1].requestFields.set.Authorization: a rule may remove this field, but not set it; remove it here"
        ),
        (
            rule(#""requestFields": {"remove": ["Origin"]}"#),
            ".rules[1].requestFields.remove[0]: rules may not change this field; remove it here"
        ),
        (
            rule(#""responseFields": {"remove": ["content-length"]}"#),
            ".rules[1].responseFields.remove[0]: rules may not change this field; remove it here"
        ),
        (
            rule(#""responseFields": {"add": {"Set-Cookie": "a=b"}}"#),
            ".rules[1].responseFields.add.Set-Cookie: a rule may remove this field, but not set it; remove it here"
        ),
        (
            rule(#""responseFields": {"set": {"X": "a\r\nY: b"}}"#),
            #".rules[1].responseFields.set.X: “a\u{d}\u{a}Y: b” is not a header field's value: use printable ASCII"#
        ),
        (
            rule(#""responseFields": {"set": {"X Y": "a"}}"#),
            ".rules[1].responseFields.set[“X Y”]: “X Y” is not the name of a header field of at most 64 bytes"
        ),
        (
            rule(#""responseFields": {"set": {"X": "a", "x": "b"}}"#),
            ".rules[1].responseFields.set.x: the field is named twice, which differs in upper and lower case only"
        ),
        (
            rule(#""responseFields": {"remove": ["X", "x"]}"#),
            ".rules[1].responseFields.remove[1]: “x” is named twice; keep one"
        ),
        (
            rule(#""responseFields": {"remove": \#(list(33) { #""a\#($0)""# })}"#),
            ".rules[1].responseFields.remove: has 33 fields; the limit is 32; leave some out"
        ),
        (
            rule(#""responseFields": {"set": {"X": 1}}"#),
            ".rules[1].responseFields.set.X: must be a string, but is a number"
        ),
        (
            rule(#""connectTo": "http://a""#),
            ".rules[1].connectTo: “http://a” is not a host, or a host and port such as "
        ),
        (rule(#""connectTo": "a:0""#), ".rules[1].connectTo: “a:0” is not a host, or a host and port such as "),
        (rule(#""connectTo": "u@a""#), ".rules[1].connectTo: “u@a” is not a host, or a host and port such as "),
        (rule(#""connectTo": "a/b""#), ".rules[1].connectTo: “a/b” is not a host, or a host and port such as "),
        (rule(#""rewrite": {"from": "/a"}"#), ".rules[1].rewrite: the key “to” is missing here; add it"),
        (
            rule(#""rewrite": {"from": "/a/*", "to": "/b"}"#),
            ".rules[1].rewrite.to: must have the same wildcards in the same order as “from”"
        ),
        (
            rule(#""rewrite": {"from": "/*/**", "to": "/**/*"}"#),
            ".rules[1].rewrite.to: must have the same wildcards in the same order as “from”"
        ),
        (
            rule(#""rewrite": {"from": "/a", "to": "https://other.example/"}"#),
            ".rules[1].rewrite.to: “https://other.example/” does not lie below an origin of the bundle"
        ),
        (
            rule(#""rewrite": {"from": "/*", "to": "https://m.example.com/*"}"#),
            ".rules[1].rewrite.to: “https://m.example.com/*” does not lie below an origin of the bundle"
        ),
        (
            rule(#""rewrite": {"from": "*.js", "to": "/*.js"}"#),
            ".rules[1].rewrite.from: “*.js” must start with “/” or with an origin's URL"
        ),
        (
            rule(#""redirect": {"status": 300, "to": "/"}"#),
            ".rules[1].redirect.status: 300 is none of 301, 302, 303, 307, 308"
        ),
        (rule(#""redirect": {"status": 301}"#), ".rules[1].redirect: the key “to” is missing here; add it"),
        (
            rule(#""redirect": {"status": 301, "to": "//a"}"#),
            ".rules[1].redirect.to: “//a” is neither an http or https URL"
        ),
        (
            rule(#""redirect": {"status": 301, "to": "javascript:a"}"#),
            ".rules[1].redirect.to: “javascript:a” is neither an http or https URL"
        ),
        (
            rule(#""redirect": {"status": 301, "to": "/a\r\nX: b"}"#),
            #".rules[1].redirect.to: “/a\u{d}\u{a}X: b” is neither an http or https URL"#
        ),
        (rule(#""mock": {"file": "../a"}"#), ".rules[1].mock.file: “../a” leaves the bundle through “..”"),
        (
            rule(#""mock": {"status": 101}"#),
            ".rules[1].mock.status: 101 is not a status from 200 to 599 that may have "
        ),
        (
            rule(#""mock": {"file": "a", "status": 204}"#),
            ".rules[1].mock.status: 204 is not a status from 200 to 599 that may have content; 204, 205 and 304 go "
        ),
        (
            rule(#""mock": {"content": "a", "status": 304}"#),
            ".rules[1].mock.status: 304 is not a status from 200 to 599 that may have content; 204, 205 and 304 go "
        ),
        (
            rule(#""mock": {"content": "a", "file": "a"}"#),
            ".rules[1].mock.content: has no effect beside “file”; remove one of the two"
        ),
        (rule(#""mock": {"content": 1}"#), ".rules[1].mock.content: is a number; write a text, a list or an object"),
        (rule(#""mock": {"delay": -1}"#), ".rules[1].mock.delay: must be 1 to 60000 milliseconds"),
        (rule(#""mock": {"fields": {"ETag": "a"}}"#), ".rules[1].mock.fields.ETag: rules may not change this field; "),
        (
            rule(#""redirect": {"status": 301, "to": "/"}, "strategy": "cache-first""#),
            ".rules[1].strategy: has no effect beside “redirect”; remove one of the two"
        ),
        (
            rule(#""redirect": {"status": 301, "to": "/"}, "mock": {}"#),
            ".rules[1].mock: has no effect beside “redirect”; remove one of the two"
        ),
        (
            rule(#""mock": {}, "connectTo": "a""#),
            ".rules[1].connectTo: has no effect beside “mock”; remove one of the two"
        ),
        (
            rule(#""strategy": "block", "responseFields": {}"#),
            ".rules[1].responseFields: has no effect beside “block”; remove one of the two"
        ),
        (
            rule(#""strategy": "bundle-only", "offline": "never""#),
            ".rules[1].offline: has no effect beside “bundle-only”; remove one of the two"
        ),
        (
            rule(#""match": {"mediaType": "image/*"}, "rewrite": {"from": "/a", "to": "/b"}"#),
            ".rules[1].rewrite: is decided before the response's media type is known; match by “path”, "
        ),
        (
            rule(#""match": {"mediaType": "image/*"}, "strategy": "bundle-only""#),
            ".rules[1].strategy: is decided before the response's media type is known; match by “path”, "
        ),
        (
            rule(#""match": {"mediaType": "image/*"}, "strategy": "cache-only""#),
            ".rules[1].strategy: is decided before the response's media type is known; match by “path”, "
        ),
        (#"{"precache": "https://m.example.com/shop/a"}"#, ".precache: must be a list, but is a string"),
        (#"{"precache": ["/a"]}"#, ".precache[0]: “/a” is not an http or https URL"),
        (
            #"{"precache": ["https://m.example.com/shop/#a"]}"#,
            ".precache[0]: “https://m.example.com/shop/#a” has a fragment"
        ),
        (
            #"{"precache": ["https://m.example.com/shopping"]}"#,
            ".precache[0]: “https://m.example.com/shopping” does not lie below an origin of the bundle"
        ),
        (
            #"{"precache": ["https://m.example.com/shop/a", "https://m.example.com/shop/a"]}"#,
            ".precache[1]: “https://m.example.com/shop/a” is named twice; keep one"
        ),
        (
            #"{"precache": ["https://m.example.com/shop/\#(String(repeating: "a", count: 2_048))"]}"#,
            ".precache[0]: has 2075 bytes; the limit is 2048"
        ),
        (
            #"{"precache": \#(list(257) { #""https://m.example.com/shop/\#($0)""# })}"#,
            ".precache: has 257 URLs; the limit is 256; leave some out"
        ),
    ]

    @Test("an invalid value by its place", arguments: values)
    func refusal(_ network: String, _ message: String) {
        let error = #expect(throws: BundleError.self) { try BundleManifest.parse(NetworkRulesTests.json(network)) }
        #expect(error?.code == .invalidManifest)
        #expect(error?.message.hasPrefix("bundle.json: network\(message)") == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("\n") == false)
    }

    @Test("a damaged text without ending the process, whichever byte is changed")
    func damage() {
        let json = NetworkRulesTests.json(NetworkRulesTests.everything)
        for index in json.indices {
            for byte: UInt8 in [0x22, 0x2A, 0x2F, 0x39] {
                var damaged = json
                damaged[index] = byte
                _ = try? BundleManifest.parse(damaged)
            }
        }
    }
}
