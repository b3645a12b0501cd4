import BundleModel
import BundleStore
import BundleTrust

/// What a publisher changes of a role's keys. A value type; safe to share between threads.
package struct KeyChange: Sendable {
    /// A key that a role gets.
    package enum NewKey: Sendable {
        /// One that is made, and kept in the folder.
        case made
        /// One that somebody else has.
        case published(PublishedKey)
        /// One in a key store, and the command by which that signs.
        case stored(PublishedKey, command: String)
    }

    /// What is changed.
    package enum Action: Sendable {
        /// Another key takes the place of those that the role has, or where several must sign, of the one whose file is in the folder.
        case replacing(NewKey)
        /// The role has one more key.
        case adding(NewKey)
        /// The role hasn't the key any more whose id begins so.
        case removing(String)
        /// So many of the role's keys must sign.
        case requiring(Int)
    }

    /// Whose keys.
    package let role: KeyRole
    /// What.
    package let action: Action

    /// Describes a change.
    package init(_ action: Action, of role: KeyRole) { (self.action, self.role) = (action, role) }

    /// The key that the role gets; nil for none.
    var newKey: NewKey? {
        switch action {
        case .replacing(let key), .adding(let key): key
        case .removing, .requiring: nil
        }
    }
}

extension KeyChange {
    /// The change of the root.
    ///
    /// - Parameters:
    ///   - root: The latest root.
    ///   - files: The keys of the role that the folder has, by their ids.
    ///   - key: The key that the role gets.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when it isn't possible.
    func rootChange(
        of root: (content: RootContent, document: RootDocument),
        files: [String],
        key: PublishedKey?
    ) throws(BundleError) -> RootChange {
        if let key { try checkUnused(key, in: root.document) }
        let keys = Set(role.documentRoles.flatMap { root.document.keys(of: $0) }.map(\.id))
        switch action {
        case .adding: return RootChange(role: role, added: key)
        case .replacing:
            // Where one signature is enough, a key whose file is elsewhere would stay good.
            let isAlone = role.authority(in: root.content).threshold == 1
            guard isAlone || files.count == 1 else { throw unclear(files.count) }
            return RootChange(role: role, dropped: isAlone ? keys : Set(files), added: key)
        case .removing(let prefix): return RootChange(role: role, dropped: [try id(prefix, among: keys)])
        case .requiring(let count):
            guard count >= 1 else {
                throw BundleError(.invalidArgument, "the threshold \(count) can't be; at least one key must sign")
            }
            return RootChange(role: role, threshold: count)
        }
    }

    /// A key that two roles have would give its thief both powers.
    private func checkUnused(_ key: PublishedKey, in root: RootDocument) throws(BundleError) {
        for other in KeyRole.allCases {
            for name in other.documentRoles where root.keys(of: name).contains(where: { $0.key == key }) {
                throw BundleError(
                    .invalidArgument,
                    "the key \(key.id.prefix(8)) is one of the role \(other.rawValue) already; give another one"
                )
            }
        }
    }

    private func unclear(_ count: Int) -> BundleError {
        BundleError(
            .invalidArgument,
            "several keys must sign for the role \(role.rawValue), and the folder has \(count) of them, so that it isn't clear which one is "
                + "replaced; add a new key, and remove the other by its id"
        )
    }

    private func id(_ prefix: String, among keys: Set<String>) throws(BundleError) -> String {
        let found = keys.filter { !prefix.isEmpty && $0.hasPrefix(prefix.lowercased()) }
        guard let id = found.first, found.count == 1 else {
            throw BundleError(
                .invalidArgument,
                "\(found.isEmpty ? "no key" : "more than one key") of the role \(role.rawValue) begins with “\(Printable.text(prefix))”; "
                    + "give the beginning of one of these: "
                    + keys.sorted().map { Printable.text($0) }.joined(separator: ", ")
            )
        }
        return id
    }
}
