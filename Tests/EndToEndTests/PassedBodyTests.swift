import BundleTesting
import Foundation
import Testing

#if os(Linux)
    /// The memory that long bodies take on their way from an origin to a slow client.
    struct PassedBodyTests {
        private static let byteCount = 300 << 20
        /// What a debug build may take besides: buffers in both directions, and what requests leave behind.
        private static let maximumGrowth = 32_000

        /// Responds to each request with zeros.
        private static let origin = """
            $| = 1; socket(my $s, PF_INET, SOCK_STREAM, 0) or die; bind($s, sockaddr_in(0, INADDR_LOOPBACK)) or die;
            listen($s, 8) or die; print "port " . (sockaddr_in(getsockname($s)))[0] . "\\n"; $SIG{PIPE} = "IGNORE";
            my $mb = "\\0" x (1 << 20);
            while (accept(my $c, $s)) {
                my $head = ""; while ($head !~ /\\r\\n\\r\\n/) { sysread($c, $head, 4096, length $head) or last }
                my $length = $head =~ /length/ ? "Content-Length: " . ($ARGV[0] << 20) . "\\r\\n" : "";
                my $control = $head =~ /stored/ ? "max-age=60" : "no-store";
                syswrite($c, "HTTP/1.1 200 OK\\r\\nConnection: close\\r\\nCache-Control: $control\\r\\n$length\\r\\n");
                for (1 .. $ARGV[0]) { my $o = 0; while ($o < 1 << 20) { $o += syswrite($c, $mb, (1 << 20) - $o, $o) || last } }
                close($c)
            }
            """

        @Test func `is bounded, whether or not the body could be stored, and its length is known`() async throws {
            let count = "\(Self.byteCount >> 20)"
            try await withChildProcess("perl", ["-MSocket", "-e", Self.origin, count]) { origin in
                let port = try await origin.waitForLine(containing: "port ").dropFirst(5)
                try await withTemporaryDirectory { folder in
                    let bundlectl = Bundlectl(store: folder.path(of: "store"))
                    let origins = #"[{"url": "http://127.0.0.1:\#(port)/shop/"}]"#
                    let manifest = #"{"name": "shop", "version": "1", "origins": \#(origins)}"#
                    try folder.write(tree: ["index.html": "shop", "bundle.json": manifest], to: "shop")
                    let archive = folder.path(of: "shop.zip")
                    try await bundlectl.expect(0, "pack", folder.path(of: "shop"), archive)
                    try await bundlectl.expect(0, "install", archive)
                    try await measure(bundlectl)
                }
            }
        }

        private func measure(_ bundlectl: Bundlectl) async throws {
            let command = [
                #"echo "pid $$"; exec "$@""#, "sh", Bundlectl.path, "serve", "--listen", "127.0.0.1:0",
            ]
            try await withChildProcess("sh", ["-c"] + command, environment: bundlectl.environment) { server in
                let process = try await server.waitForLine(containing: "pid ").dropFirst(4)
                let address = try await server.waitForLine(containing: "listening on ").dropFirst(13)
                _ = try await Curl.get("\(address)/shop/")
                let before = try Self.peak(ofProcess: process)
                for path in ["", "length", "stored", "stored-length"] {
                    let options = ["-s", "-o", "/dev/null", "-w", "%{size_download}", "--limit-rate", "100M"]
                    let result = try await ChildProcess.run("curl", options + ["\(address)/shop/x\(path)"])
                    #expect(result.output == "\(Self.byteCount)", "\(path)")
                    let growth = try Self.peak(ofProcess: process) - before
                    #expect(growth < Self.maximumGrowth, "\(path): \(growth) kB")
                }
                try await server.terminate()
            }
        }

        /// The most memory that a process has taken so far, in kB.
        private static func peak(ofProcess identifier: Substring) throws -> Int {
            let status = try String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            return try #require(line.flatMap { Int($0.filter(\.isNumber)) })
        }
    }
#endif
