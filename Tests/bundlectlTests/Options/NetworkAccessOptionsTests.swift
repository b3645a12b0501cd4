import ArgumentParser
import BundleStore
import BundleTransport
import Testing

@testable import bundlectl

@Suite("How a verb reaches other hosts")
struct NetworkAccessOptionsTests {
    @Test(
        "SSL_CERT_FILE and SSL_CERT_DIR take the place of the system's certificates",
        arguments: [
            ([:], []), (["SSL_CERT_FILE": ""], []), (["SSL_CERT_FILE": "/a.pem"], ["/a.pem"]),
            (["SSL_CERT_DIR": "/b:/c"], ["/b", "/c"]), (["SSL_CERT_FILE": "/a", "SSL_CERT_DIR": "/b"], ["/a", "/b"]),
        ] as [([String: String], [String])]
    )
    func trustStores(_ environment: [String: String], _ paths: [String]) {
        #expect(NetworkAccessOptions.trustStores(environment: environment) == paths)
    }

    @Test("a file of --ca-certificate that can't be read is refused before anything is done")
    func unreadable() throws {
        let options = try NetworkAccessOptions.parse(["--ca-certificate", "/missing.pem"])
        let error = #expect(throws: BundleError.self) { try options.read(environment: [:]) { _ in } }
        #expect(error?.code == .inputUnavailable)
    }

    @Test(
        "a file of NETRC that isn't there is a warning, and an empty variable none",
        arguments: [("", []), ("/typo", ["NETRC isn't used: /typo can't be read: "])]
    )
    func absentCredentials(path: String, beginnings: [String]) throws {
        var warnings: [String] = []
        _ = try NetworkAccessOptions.parse([]).read(environment: ["NETRC": path]) { warnings += $0 }
        #expect(warnings.count == beginnings.count)
        #expect(zip(warnings, beginnings).allSatisfy { $0.hasPrefix($1) }, "\(warnings)")
    }
}

@Suite("The proxies that variables name")
struct ProxyVariablesTests {
    private static func proxies(_ environment: [String: String]) throws -> [String?] {
        let variables = ProxyVariables(environment)
        return [try variables.http.get()?.description, try variables.https.get()?.description]
    }

    @Test(
        "go by the scheme, lower case before upper case",
        arguments: [
            ([:], [nil, nil]), (["HTTPS_PROXY": "a:1"], [nil, "a:1"]),
            (["https_proxy": "a:1", "HTTPS_PROXY": "b:1"], [nil, "a:1"]),
            (["http_proxy": "a:1"], ["a:1", nil]), (["HTTP_PROXY": "a:1"], [nil, nil]),
            (["ALL_PROXY": "a:1"], ["a:1", "a:1"]),
            (["ALL_PROXY": "a:1", "https_proxy": "b:1"], ["a:1", "b:1"]),
            (["https_proxy": "", "HTTPS_PROXY": "b:1"], [nil, "b:1"]),
            (["all_proxy": "a:1", "ALL_PROXY": "b:1"], ["a:1", "a:1"]),
        ] as [([String: String], [String?])]
    )
    func precedence(_ environment: [String: String], _ proxies: [String?]) throws {
        #expect(try Self.proxies(environment) == proxies)
    }

    @Test("that can't be used are refused with the variable's name, and without the password")
    func refused() throws {
        let variables = ProxyVariables(["ALL_PROXY": "socks5://me:secret@a.example", "http_proxy": "a:1"])
        #expect(try variables.http.get()?.description == "a:1")
        let error = #expect(throws: BundleError.self) { try variables.https.get() }
        #expect(error?.message.hasPrefix("ALL_PROXY: “socks5://a.example” is no proxy") == true)
    }

    @Test("give way to --proxy and --no-proxy, whose URL has no password", arguments: [true, false])
    func options(isGiven: Bool) throws {
        #expect(throws: (any Error).self) { try NetworkAccessOptions.parse(["--proxy", "http://me@a.example"]) }
        #expect(throws: (any Error).self) { try NetworkAccessOptions.parse(["--proxy", "socks5://a.example"]) }
        let options = try NetworkAccessOptions.parse(isGiven ? ["--proxy", "a:1"] : [])
        _ = try options.read(environment: ["ALL_PROXY": "socks5://a.example"]) { _ in }
    }
}
