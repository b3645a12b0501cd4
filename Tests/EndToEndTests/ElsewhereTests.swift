import BundleTesting
import Foundation
import Testing

@Suite(.enabled("networks can't be made here; see unshare(1)", { await TwoMachines.arePossible() }))
struct ElsewhereTests {
    private static let script = """
        "$bundlectl" serve --store "$store" --listen 0.0.0.0:8080 --mount shop=/shop --offline >"$log" & server=$!
        until grep -q 'listening on' "$log"; do kill -0 $server; done

        # fetch HOST [PREFIX…]
        fetch() {
            host=$1
            shift
            "$@" curl --silent --show-error --output /dev/null --header 'Accept-Encoding: gzip' \\
                --write-out '%{http_code} %header{content-encoding}' "http://$host:8080/shop/"
        }
        elsewhere() { fetch 10.9.8.1 nsenter --target $other --net; }
        forms() { find "$store/variants" -name '*.gz' 2>/dev/null | wc -l; }

        for host in 127.0.0.1 10.9.8.1; do echo "$host: $(fetch $host)"; done
        echo "forms: $(forms)"
        echo "elsewhere: $(elsewhere)"
        # Requests would have the server wait with its work.
        until [ "$(forms)" != 0 ]; do kill -0 $server; done
        for try in $(seq 400); do
            answer=$(elsewhere)
            case $answer in *gzip) break ;; esac
        done
        echo "elsewhere: $answer"
        echo "forms: $(forms)"
        for host in 127.0.0.1 10.9.8.1; do echo "$host: $(fetch $host)"; done

        """

    @Test(.timeLimit(.minutes(5)))
    func `get compressed files, and clients on this machine get them as they are, by whichever address`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            let result = try await TwoMachines.run(Self.script, [Bundlectl.path, bundlectl.store])
            #expect(
                result.output.replacing(" \n", with: "\n") == """
                    127.0.0.1: 200
                    10.9.8.1: 200
                    forms: 0
                    elsewhere: 200
                    elsewhere: 200 gzip
                    forms: 1
                    127.0.0.1: 200
                    10.9.8.1: 200

                    """,
                "\(result.errorOutput)"
            )
        }
    }
}

/// This machine, and another one: a network of its own, which a virtual cable connects with this machine's. Both are gone when
/// the script ends.
private enum TwoMachines {
    private static let cable = """
        set -eu
        bundlectl=$1 store=$2 log=$2.log
        ip link set lo up
        ip link add near type veth peer name far
        unshare --net sleep 300 & other=$!
        trap 'kill $other ${server-}' EXIT
        until [ "$(readlink /proc/$other/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do :; done
        ip link set far netns $other
        ip address add 10.9.8.1/30 dev near
        ip link set near up
        nsenter --target $other --net sh -c 'ip address add 10.9.8.2/30 dev far; ip link set far up'

        """

    /// Whether the system lets this user make them.
    static func arePossible() async -> Bool {
        (try? await run("curl --version >/dev/null", ["bundlectl", "store"]))?.exitCode == 0
    }

    /// Runs a script in a shell, with the address 10.9.8.1 here, the process `$other` there, and `$bundlectl` and `$store` from the
    /// arguments.
    static func run(_ script: String, _ arguments: [String]) async throws -> ProcessResult {
        try await ChildProcess.run(
            "/usr/bin/unshare",
            ["--map-root-user", "--net", "sh", "-c", cable + script, "sh"] + arguments,
            environment: ProcessInfo.processInfo.environment
        )
    }
}
