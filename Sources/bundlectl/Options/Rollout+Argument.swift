import ArgumentParser
import BundleNetwork
import BundleUpdate

extension Rollout: ExpressibleByArgument {
    /// Reads `10%`, `12.5%`, or a number of percent alone.
    public init?(argument: String) {
        let number = argument.hasSuffix("%") ? argument.dropLast() : argument[...]
        // Double reads exponents, hexadecimal digits and names of no number too.
        guard number.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }),
            let percent = Double(number)
        else { return nil }
        self.init(percent: percent)
    }
}
