export function matchesPath(path: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => prefixMatches(path, pattern.split('*')));
}

/**
 * Matches the parts of the pattern greedily from left to right, so the cost is proportional to the length of the path.
 */
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
