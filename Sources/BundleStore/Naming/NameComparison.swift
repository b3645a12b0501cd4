/// What another installed release of a bundle has under the same path.
enum NameComparison {
    case same
    case different
}
