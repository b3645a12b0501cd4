import BundleTesting
import Foundation
import Testing

/// The operation of `serve`, as seen by a supervisor, a load balancer and a log rotation.
struct OperationTests {
    @Test func `metrics and health are served on a Unix socket that is removed with the server`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            let path = bundlectl.store + "-admin.sock"
            try await bundlectl.serving("--admin", "unix:\(path)") { address, server in
                _ = try await Curl.get("\(address)/shop/")
                let metrics = try await Curl.get("http://localhost/metrics", "--unix-socket", path)
                #expect(metrics.text.contains(#"bundlectl_http_requests_total{layer="active",code="200"} 1"#))
                #expect(try await Curl.get("http://localhost/readyz", "--unix-socket", path).text == "ok\n")
                #expect(try await Curl.get("\(address)/readyz").text == "ok\n")
                try await server.terminate()
            }
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `the metrics tell the states of releases, and count the rollbacks of other processes`() async throws {
        try await withPublisher { publisher, bundlectl in
            for version in ["1.0.0", "1.1.0"] { try await bundlectl.expect(0, "install", publisher.archive(version)) }
            let path = bundlectl.store + "-admin.sock"
            try await bundlectl.serving("--admin", "unix:\(path)") { _, _ in
                func metrics() async throws -> [String] {
                    let page = try await Curl.get("http://localhost/metrics", "--unix-socket", path)
                    return page.text.split(separator: "\n").map(String.init)
                }
                let state = #"bundlectl_release_state{bundle="shop",version="1.1.0",state="#
                let count = #"bundlectl_rollbacks_total{bundle="shop",version="1.1.0",cause="#
                let before = try await metrics()
                #expect(before.contains(state + "\"confirmed\"} 1") && before.contains(state + "\"bad\"} 0"))
                #expect(before.contains(count + "\"marked_bad\"} 0"))
                try await bundlectl.expect(0, "mark-bad", "shop@1.1.0", "--reason", "the cart stays empty")
                // The server follows the store.
                var after = try await metrics()
                while !after.contains(state + "\"bad\"} 1") { after = try await metrics() }
                #expect(after.contains(state + "\"held\"} 1") && after.contains(state + "\"confirmed\"} 0"))
                #expect(after.contains(count + "\"marked_bad\"} 1") && after.contains(count + "\"requested\"} 0"))
            }
        }
    }

    #if os(Linux)
        @Test func `connections that wait because descriptors are exhausted are reported once`() async throws {
            let client = """
                $| = 1; my @all;
                for (1 .. 100) {
                    socket(my $s, PF_INET, SOCK_STREAM, 0) or die; connect($s, sockaddr_in($ARGV[0], INADDR_LOOPBACK)) or die;
                    push @all, $s;
                }
                print "connected\\n"; sleep 600
                """
            try await withPublisher { publisher, bundlectl in
                try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
                let arguments = ["--nofile=64:64", Bundlectl.path, "serve", "--listen", "127.0.0.1:0"]
                try await withChildProcess("prlimit", arguments, environment: bundlectl.environment) { server in
                    let line = try await server.waitForLine(containing: "listening on ")
                    let address = line.replacingOccurrences(of: "listening on ", with: "")
                    let port = try #require(address.split(separator: ":").last.map(String.init))
                    try await withChildProcess("perl", ["-MSocket", "-e", client, port]) { clients in
                        _ = try await clients.waitForLine(containing: "connected")
                        try await server.waitForErrorOutput(containing: "can't be accepted: this process has reached")
                    }
                    // After they are closed, the server goes on.
                    #expect(try await Curl.get("\(address)/shop/").status == 200)
                    #expect(server.errorOutput.components(separatedBy: "can't be accepted").count == 2)
                }
            }
        }
    #endif

    @Test(.timeLimit(.minutes(5)))
    func `a service manager's watchdog is notified until the server is shut down`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.path(of: "notify")
            let manager = try NotificationSocket(at: path)
            let variables = ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "20000"]
            let environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
            let words = ["serve", "--listen", "127.0.0.1:0", "--store", directory.path(of: "store")]
            try await withChildProcess(Bundlectl.path, words, environment: environment) { server in
                #expect(try await manager.next() == "READY=1")
                for _ in 0..<3 { #expect(try await manager.next() == "WATCHDOG=1") }
                _ = try await server.terminate()
                var last = try await manager.next()
                while last == "WATCHDOG=1" { last = try await manager.next() }
                #expect(last == "STOPPING=1")
            }
        }
    }

    @Test func `a socket that a service manager passes is listened on`() async throws {
        // What systemd does for ListenStream= and FileDescriptorName=.
        let launcher = """
            $^F = 9; socket(my $s, PF_INET, SOCK_STREAM, 0) or die; bind($s, sockaddr_in(0, INADDR_LOOPBACK)) or die;
            listen($s, 8) or die; POSIX::dup2(fileno($s), 3);
            @ENV{qw(LISTEN_PID LISTEN_FDS LISTEN_FDNAMES)} = ($$, 1, "admin"); exec @ARGV or die
            """
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            let arguments = [
                "-MSocket", "-MPOSIX=dup2", "-e", launcher, Bundlectl.path, "serve", "--listen", "127.0.0.1:0",
                "--admin", "systemd:admin",
            ]
            try await withChildProcess("perl", arguments, environment: bundlectl.environment) { server in
                _ = try await server.waitForLine(containing: "listening on ")
                let marker = "metrics and health are at "
                try await server.waitForErrorOutput(containing: marker)
                let address = try #require(
                    server.errorOutput.split(separator: "\n").first { $0.contains(marker) }?.split(separator: " ").last
                )
                #expect(try await Curl.get("\(address)/healthz").text == "ok\n")
            }
        }
    }

    @Test func `without a socket from a service manager it says how to start it`() async throws {
        try await withPublisher { _, bundlectl in
            let result = try await bundlectl.expect(64, "serve", "--listen", "127.0.0.1:0", "--admin", "systemd")
            #expect(result.errorOutput.contains("this process was passed no sockets; start it through a .socket unit"))
        }
    }

    @Test(arguments: ["unix", "systemd"])
    func `the endpoint itself listens on a Unix socket, its own or one that it was passed`(kind: String) async throws {
        // What systemd does for ListenStream=.
        let launcher = """
            $^F = 9; socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die; bind($s, sockaddr_un(shift)) or die;
            listen($s, 8) or die; POSIX::dup2(fileno($s), 3);
            @ENV{qw(LISTEN_PID LISTEN_FDS)} = ($$, 1); exec @ARGV or die
            """
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            let path = bundlectl.store + "-web.sock"
            let (program, arguments) =
                kind == "unix"
                ? (Bundlectl.path, ["serve", "--listen", "unix:\(path)", "--socket-mode", "600"])
                : (
                    "perl",
                    ["-MSocket", "-MPOSIX=dup2", "-e", launcher, path, Bundlectl.path, "serve", "--listen", "systemd"]
                )
            try await withChildProcess(program, arguments, environment: bundlectl.environment) { server in
                let line = try await server.waitForLine(containing: "listening on ")
                #expect(line == "listening on unix:\(path)")
                let page = try await Curl.get("http://localhost/shop/", "--unix-socket", path)
                #expect(page.status == 200)
                try await server.terminate()
            }
            // The service manager's socket outlives the server.
            #expect(FileManager.default.fileExists(atPath: path) == (kind == "systemd"))
        }
    }

    @Test func `every request is counted and logged, and its response has the fields, on every path`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            let (log, admin) = (bundlectl.store + "-access.log", bundlectl.store + "-admin.sock")
            // Plain, with a range, with an origin, over HTTP/2 new and known, and an invalid request.
            let ways: [[String]] = [
                [], ["-H", "Range: bytes=0-0"], ["-H", "Origin: https://a"], ["--http2-prior-knowledge"],
                ["--http2-prior-knowledge"],
            ]
            try await bundlectl.serving(
                "--access-log",
                log,
                "--admin",
                "unix:\(admin)",
                "--header",
                "Permissions-Policy: camera=()",
                "--cors",
                "*"
            ) { address, server in
                for way in ways {
                    let response = try await Curl.get("\(address)/shop/", way + ["-A", "test", "-e", "https://b/"])
                    #expect(response["permissions-policy"] == "camera=()")
                    #expect(response["access-control-allow-origin"] == "*")
                    #expect(response["strict-transport-security"] == nil)
                }
                let metrics = try await Curl.get("http://localhost/metrics", "--unix-socket", admin).text
                #expect(metrics.contains(#"bundlectl_http_requests_total{layer="active",code="200"} 4"#))
                #expect(metrics.contains(#"bundlectl_http_requests_total{layer="active",code="206"} 1"#))
                #expect(metrics.contains("bundlectl_http_connections_accepted_total 5\n"))
                try await server.terminate()
            }
            let size = try Project.contents("bundles/shop/1.0.0/index.html").count
            let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
            #expect(lines.count == ways.count)
            for (line, way) in zip(lines, ways) {
                let version = way == ["--http2-prior-knowledge"] ? "HTTP/2.0" : "HTTP/1.1"
                let end = way.contains("Range: bytes=0-0") ? "206 1" : "200 \(size)"
                #expect(line.hasPrefix("127.0.0.1 - - ["))
                #expect(line.hasSuffix(#""GET /shop/ \#(version)" \#(end) "https://b/" "test""#))
            }
        }
    }

    @Test func `each request is logged, also after a log rotation, up to the last line`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            let path = bundlectl.store + "-access.log"
            try await bundlectl.serving("--access-log", path, "--access-log-format", "json") { address, server in
                _ = try await Curl.get("\(address)/shop/?first=1", "-A", "test")
                try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
                server.send(SIGUSR1)
                while !FileManager.default.fileExists(atPath: path) { _ = try await Curl.get("\(address)/shop/") }
                _ = try await Curl.get("\(address)/shop/none.json")
                try await server.terminate()
            }
            let lines = try [path + ".1", path].map { try String(contentsOfFile: $0, encoding: .utf8) }.joined()
                .split(separator: "\n").map { try JSONDecoder().decode(AnyJSON.self, from: Data($0.utf8)) }
            let first = try #require(lines.first)
            #expect(first["target"] == .string("/shop/?first=1"))
            #expect(first["layer"] == .string("active"))
            #expect(first["bundle"] == .string("shop"))
            #expect(first["version"] == .string("1.0.0"))
            #expect(first["user_agent"] == .string("test"))
            #expect(lines.last?["target"] == .string("/shop/none.json"))
        }
    }

    @Test func `the signal for a rotation does nothing without an access log`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.serving { address, server in
                server.send(SIGUSR1)
                let page = try await Curl.get("\(address)/shop/")
                #expect(page.status == 200)
                let end = try await server.terminate()
                #expect(end.exitCode == 0)
            }
        }
    }

    @Test func `fields that the operator adds are in every response, and scripts of a named origin may read it`()
        async throws
    {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            let options = ["--header", "Permissions-Policy: camera=()", "--cors", "https://app.example"]
            try await bundlectl.serving(options[0], options[1], options[2], options[3], "--cross-origin-isolated") {
                address,
                _ in
                for path in ["/shop/", "/shop/none.json", "/nowhere"] {
                    let response = try await Curl.get(address + path, "-H", "Origin: https://app.example")
                    #expect(response["permissions-policy"] == "camera=()")
                    #expect(response["cross-origin-embedder-policy"] == "require-corp")
                    #expect(response["access-control-allow-origin"] == "https://app.example")
                }
                let preflight = try await Curl.get(
                    "\(address)/shop/",
                    "-X",
                    "OPTIONS",
                    "-H",
                    "Origin: https://app.example",
                    "-H",
                    "Access-Control-Request-Method: GET",
                    "-H",
                    "Access-Control-Request-Headers: x-token"
                )
                #expect(preflight.status == 204)
                #expect(preflight["access-control-allow-headers"] == "x-token")
            }
            let refused = try await bundlectl.expect(64, "serve", "--header", "ETag: x")
            #expect(refused.errorOutput.contains("the server sets ETag itself"))
        }
    }
}
