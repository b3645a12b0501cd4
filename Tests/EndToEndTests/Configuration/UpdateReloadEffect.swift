import BundleTesting
import Foundation
import Testing

/// What the change of one option does to the updates of a running server.
struct UpdateReloadEffect {
    let before: String
    let after: String
    /// Further options of the release's publication.
    var publication: [String] = []
    /// Whether the release is published at the start, or after the change.
    var isPublishedLater = false
    /// What the log says before the change.
    var first: String?
    /// What the log says after it, and didn't before.
    let then: String

    /// By the option's name. All have another release in the feed.
    static let all: [String: UpdateReloadEffect] = [
        "check-every": UpdateReloadEffect(before: "{}", after: #"{"checkEvery": "1s"}"#, then: updated),
        "activate": UpdateReloadEffect(
            before: #"{"checkEvery": "1s"}"#,
            after: #"{"checkEvery": "1s", "activate": "next-start"}"#,
            isPublishedLater: true,
            then: "installed docs 1.1.0, which becomes active later"
        ),
        "idle-after": UpdateReloadEffect(
            before: #"{"checkEvery": "1s", "activate": "when-idle", "idleAfter": "1h"}"#,
            after: #"{"checkEvery": "1s", "activate": "when-idle", "idleAfter": "1s"}"#,
            first: "installed docs 1.1.0, which becomes active later",
            then: "docs 1.1.0 is active now: nobody used the one before"
        ),
        "shell-version": UpdateReloadEffect(
            before: #"{"checkEvery": "1s"}"#,
            after: #"{"checkEvery": "1s", "shellVersion": "2.0"}"#,
            publication: ["--minimum-shell", "2.0"],
            then: updated
        ),
        "group": UpdateReloadEffect(
            before: #"{"checkEvery": "1s"}"#,
            after: #"{"checkEvery": "1s", "group": ["lab"]}"#,
            publication: ["--rollout", "0%", "--group", "lab"],
            then: updated
        ),
        "on-metered": UpdateReloadEffect(
            before: #"{"checkEvery": "1s", "metered": true, "onMetered": "never", "verbose": true}"#,
            after: #"{"checkEvery": "1s", "metered": true, "onMetered": "always", "verbose": true}"#,
            first: "isn't fetched while the link is metered",
            then: updated
        ),
        "limit-rate": UpdateReloadEffect(
            before: #"{"checkEvery": "1s", "limitRate": "1B"}"#,
            after: #"{"checkEvery": "1s"}"#,
            then: updated
        ),
        "download-deadline": UpdateReloadEffect(
            before: #"{"checkEvery": "1s", "limitRate": "1B"}"#,
            after: #"{"checkEvery": "1s", "limitRate": "1B", "downloadDeadline": "1s"}"#,
            then: "isn't there after 1.0 seconds"
        ),
    ]

    private static let updated = "updated docs: 1.0.0 to 1.1.0"
}
