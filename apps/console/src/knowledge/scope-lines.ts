/**
 * Adds a line to the text for each chosen option, and removes the lines of options that are not chosen. Keeps lines
 * that are not in `options`: a person typed them, or the filter hides their option.
 */
export function toggledLines(text: string, options: readonly { value: string }[], chosen: readonly string[]): string {
  const offered = new Set(options.map(({ value }) => value));
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const kept = lines.filter((line) => !offered.has(line.trim()) || chosen.includes(line.trim()));
  const added = chosen.filter((value) => !kept.some((line) => line.trim() === value) && offered.has(value));
  return [...kept, ...added].join('\n');
}
