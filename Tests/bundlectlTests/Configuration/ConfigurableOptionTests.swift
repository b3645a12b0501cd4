import ArgumentParser
import BundleTesting
import Foundation
import Testing

@testable import bundlectl

/// Every option of `serve` can be configured, in the same forms.
struct ConfigurableOptionTests {
    @Test func `each option that the parser has is declared, in the order of the help and with its default`() throws {
        #expect(try ConfigurableOption.all.map(ParsedOption.init) == ParsedOption.ofServe())
    }

    @Test func `the options are those of the help, without what is about the configuration or the help`() {
        let help = Serve.helpMessage(includeHidden: true, columns: 1_000)
        let named = Set(help.matches(of: /--([a-z][a-z-]*)/).map { String($0.1) })
        let names = ConfigurableOption.all.map(\.name)
        #expect(names.count > 50)
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { Serve.helpMessage(columns: 1_000).contains("--\($0)") })
        #expect(Set(names).isDisjoint(with: ["config", "print-config", "help", "version"]))
        #expect(named.subtracting(names).isSubset(of: ["config", "print-config", "help", "activate", "host"]))
    }

    @Test(arguments: ConfigurableOption.all)
    func `a key and a variable set the same as the command line`(option: ConfigurableOption) async throws {
        let value = try #require(SampleValue.of(option), "--\(option.name) has no sample")
        let companions = SampleValue.companions[option.name] ?? []
        let given = try Self.effect(["serve"] + option.arguments([value]) + companions)
        let unset = try Self.effect(["serve"] + companions.filter { _ in option.name.hasPrefix("tls") == false })
        #expect(given != unset)
        let variable = ConfigurationEnvironment.name(of: option)
        #expect(try Self.effect(["serve"] + companions, environment: [variable: value]) == given)
        try await withTemporaryDirectory { directory in
            let file = try directory.write(Data(Self.json(option, value).utf8), to: "serve.json")
            #expect(try Self.effect(["serve", "--config", file] + companions) == given)
        }
    }

    @Test(
        arguments: [
            ("listen", "listen", "BUNDLECTL_SERVE_LISTEN"),
            ("check-every", "checkEvery", "BUNDLECTL_SERVE_CHECK_EVERY"),
            ("max-connections-per-address", "maxConnectionsPerAddress", "BUNDLECTL_SERVE_MAX_CONNECTIONS_PER_ADDRESS"),
            ("tls-key", "tlsKey", "BUNDLECTL_SERVE_TLS_KEY"),
        ]
    )
    func `a key and a variable follow from the option's name`(name: String, key: String, variable: String) throws {
        let option = try #require(ConfigurableOption.all.first { $0.name == name })
        #expect(option.key == key)
        #expect(ConfigurationEnvironment.name(of: option) == variable)
    }

    @Test(
        arguments: [
            ("listen", "127.0.0.1:8080"), ("idle-timeout", "60s"), ("verbose", "false"), ("shared-cache", "false"),
            ("mount", "none"),
            ("check-every", "none"), ("max-connections", "16384"), ("log-level", "info"),
        ]
    )
    func `the default is what the help says`(name: String, text: String) throws {
        let option = try #require(ConfigurableOption.all.first { $0.name == name })
        #expect(option.standard == text)
    }

    private static func json(_ option: ConfigurableOption, _ value: String) -> String {
        switch option.kind {
        case .flag, .number: #"{"\#(option.key)": \#(value)}"#
        case .text: #"{"\#(option.key)": "\#(value)"}"#
        case .list: #"{"\#(option.key)": ["\#(value)"]}"#
        }
    }

    /// All that a command line and what it names make of `serve`.
    private static func effect(_ arguments: [String], environment: [String: String] = [:]) throws -> String {
        var serve = try #require(try BundleCtl.verb(of: arguments, environment: environment) as? Serve)
        (serve.invocation, serve.settings, serve.config) = (nil, [], nil)
        var text = ""
        dump(serve, to: &text)
        return text
    }
}
