import BundleTesting
import Foundation
import Testing

/// `history`, by the real binary.
struct HistoryTests {
    @Test func `history tells what an update and a rollback did, and nothing of what repeats`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await publisher.publish("1.1.0", with: bundlectl)
            try await bundlectl.expect(0, "update")
            for _ in 1...3 { try await bundlectl.expect(0, "check") }
            try await bundlectl.expect(0, "rollback", "shop")
            let lines = try await bundlectl("history", "shop").output.split(separator: "\n").dropFirst()
            let events = lines.compactMap { $0.split(separator: " ").dropFirst(2).first.map(String.init) }
            #expect(
                events == [
                    "installed", "activated", "checked", "decided", "fetched", "installed", "activated", "checked",
                    "rolledBack",
                ]
            )
            #expect(lines.last?.hasSuffix("1.0.0    from 1.1.0") == true)
        }
    }

    @Test func `the history of a bundle that isn't there is an error`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.expect(64, "history", "news")
        }
    }

    @Test func `what a feed says can't reach the terminal's control`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try publisher.directory.write("{\"name\": \"shop\", \"\u{1B}[2J\": 1", to: "site/releases/feed.json")
            _ = try await bundlectl("check")
            let history = try await bundlectl("history").output
            #expect(history.contains("failed"))
            #expect(!history.contains("\u{1B}"))
        }
    }
}
