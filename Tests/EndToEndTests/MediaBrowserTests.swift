import BundleTesting
import Testing

/// A sound of four minutes in Chromium, whose origin stops early in the whole of it, and sends other parts completely.
@Suite(.enabled(if: Browser.isInstalled, "chromium and chromedriver are not installed; see scripts/bootstrap tests"))
struct MediaBrowserTests {
    private static let byteCount = 24 << 20
    private static let quarter = byteCount / 4

    @Test(.timeLimit(.minutes(5)))
    func `a sound seeks through a partly stored file, and only what isn't stored comes from the origin`() async throws {
        try await withTemporaryDirectory { folder in
            let app = SampleApp(in: folder)
            let ranges = Monitor<[String]>([])
            try await withTalkingOrigin { peer in
                try await Self.serve(Self.sound, to: peer, noting: ranges)
            } _: { origin in
                let sound = #"<video preload="auto" src="media/sound.wav"></video>"#
                let pages = ["index.html": "", "sound.html": sound]
                try await app.installPages(pages, origin: "http://\(origin.authority)")
                try await app.bundlectl.serving { address, _ in
                    try await Self.storeLastQuarter(Bundlectl.own("shop", address))
                    #expect(ranges.state == ["\(3 * Self.quarter)-"])
                    try await withBrowser { browser in
                        try await browser.navigate(to: Bundlectl.own("shop", address) + "sound.html")
                        #expect(try await Self.seek(toQuarter: 3, browser) == 3)
                        #expect(ranges.state.dropFirst() == ["0-\(3 * Self.quarter - 1)"])
                        #expect(try await Self.seek(toQuarter: 2, browser) == 2)
                        #expect(ranges.state.dropFirst(2) == ["\(2 * Self.quarter)-\(3 * Self.quarter - 1)"])
                    }
                }
            }
            try await app.bundlectl.serving { address, _ in
                try await Self.expectLastQuarter(Bundlectl.own("shop", address))
            }
        }
    }

    private static func storeLastQuarter(_ url: String) async throws {
        try await withBrowser { browser in
            try await browser.navigate(to: url)
            #expect(try await fetch("\(3 * quarter)-", browser) == [206, .number(Double(quarter)), false])
        }
    }

    /// Without the origin: there is what is stored, and nothing else.
    private static func expectLastQuarter(_ url: String) async throws {
        try await withBrowser { browser in
            try await browser.navigate(to: url)
            #expect(try await fetch("\(3 * quarter)-", browser) == [206, .number(Double(quarter)), true])
            #expect(
                try await fetch("\(3 * quarter + 7)-\(byteCount - 8)", browser) == [
                    206, .number(Double(quarter - 14)), true,
                ]
            )
            #expect(try await fetch("\(quarter)-\(quarter + 99)", browser).array?.first == 504)
        }
    }

    /// The status of a range, its length, and whether it was stored.
    private static func fetch(_ range: String, _ browser: Browser) async throws -> AnyJSON {
        try await browser.execute(
            """
            return fetch('media/sound.wav', { headers: { Range: 'bytes=\(range)' } }).then(async (response) => [
                response.status, (await response.arrayBuffer()).byteLength,
                response.headers.get('Cache-Status').includes('; hit'),
            ])
            """
        )
    }

    /// Returns at which quarter the sound is then.
    private static func seek(toQuarter quarter: Int, _ browser: Browser) async throws -> AnyJSON {
        try await browser.execute(
            """
            const sound = document.querySelector('video');
            const event = (name) => new Promise((resolve, reject) => {
                sound.addEventListener(name, resolve, { once: true });
                sound.addEventListener('error', () => reject(Error(sound.error.message)), { once: true });
            });
            if (sound.readyState < HTMLMediaElement.HAVE_METADATA) await event('loadedmetadata');
            const sought = event('seeked');
            sound.currentTime = sound.duration * \(quarter) / 4;
            await sought;
            return Math.round(sound.currentTime / sound.duration * 4);
            """
        )
    }

    /// Responds to requests for ranges. Of a range from the start, which a media element asks for first, it sends a
    /// megabyte and then nothing more.
    private static func serve(_ bytes: [UInt8], to peer: Peer, noting ranges: Monitor<[String]>) async throws {
        while true {
            let range = try await peer.head()["range"]?.dropFirst("bytes=".count) ?? "0-"
            ranges.update { $0.append(String(range)) }
            let bounds = range.split(separator: "-").compactMap { Int($0) }
            let (first, last) = (bounds.first ?? 0, bounds.dropFirst().first ?? bytes.count - 1)
            try await peer.send(
                "HTTP/1.1 206 Partial Content\r\nContent-Type: audio/wav\r\nETag: \"one\"\r\nCache-Control: max-age=600\r\n"
                    + "Content-Range: bytes \(first)-\(last)/\(bytes.count)\r\nContent-Length: \(last + 1 - first)\r\n\r\n"
            )
            guard first == 0 else {
                try await peer.raw.send(Array(bytes[first...last]))
                continue
            }
            try await peer.raw.send(Array(bytes[..<(1 << 20)]))
            return await peer.waitForEnd()
        }
    }

    /// A RIFF WAVE file of silence: one channel of 16 bits, 48,000 times a second.
    private static let sound: [UInt8] = {
        func number(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 0xff) } }
        let contentByteCount = byteCount - 44
        var head = Array("RIFF".utf8) + number(36 + contentByteCount, 4) + Array("WAVEfmt ".utf8) + number(16, 4)
        head += number(1, 2) + number(1, 2) + number(48_000, 4) + number(96_000, 4) + number(2, 2) + number(16, 2)
        head += Array("data".utf8) + number(contentByteCount, 4)
        return head + [UInt8](repeating: 0, count: contentByteCount)
    }()
}
