import BundleStore

/// What ``UpdatePolicy`` has to know of the machine. A value type; safe to share between threads.
package struct DeviceState: Equatable, Sendable {
    /// The installation's place among all that have the bundle; nil when it can't be kept, and the installation gets
    /// only what is offered to all.
    package var cohort: Cohort?
    /// The version of the shell that shows the bundle; nil when the program hasn't said it.
    package var shell: BundleVersion?

    package init(cohort: Cohort?, shell: BundleVersion? = nil) {
        self.cohort = cohort
        self.shell = shell
    }
}
