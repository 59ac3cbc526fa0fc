/** Whether a path is one of those that these patterns mean: prefixes, in which `*` stands for anything. */
export function matchesPath(path: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => prefixMatches(path, pattern.split('*')));
}

/** The parts in their order, the first at the beginning. Greedy from the left, so it costs what the path is long. */
function prefixMatches(path: string, [first = '', ...rest]: readonly string[]): boolean {
  if (!path.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}
