import ArgumentParser
import BundleNetwork

extension Rollout: ExpressibleByArgument {
    /// Reads `10%` or `12.5%`.
    public init?(argument: String) {
        let number = argument.dropLast()
        // Double reads exponents, hexadecimal digits and names of no number too.
        guard argument.hasSuffix("%"), number.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }),
            let percent = Double(number)
        else { return nil }
        self.init(percent: percent)
    }
}
