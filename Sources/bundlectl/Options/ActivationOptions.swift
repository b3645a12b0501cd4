import ArgumentParser
import BundleStore

/// When a release that an update has installed becomes active.
struct ActivationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "When an update becomes active: now; next-start, when a server or an app starts with the store next; when-idle, "
                + "when nobody has asked a server for anything of the bundle for a while.",
            valueName: "when"
        )
    )
    var activate = ActivationMode.now
}

extension ActivationMode: ExpressibleByArgument {}
