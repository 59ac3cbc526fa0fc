/**
 * Adds the chosen options to the lines of the text, and removes the lines of other options. Keeps lines that are not in
 * `options`: a person typed them, or the filter hides their option.
 */
export function toggledLines(text: string, options: readonly { value: string }[], chosen: readonly string[]): string {
  const offered = new Set(options.map(({ value }) => value));
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const kept = lines.filter((line) => !offered.has(line.trim()) || chosen.includes(line.trim()));
  const added = chosen.filter((value) => !kept.some((line) => line.trim() === value) && offered.has(value));
  return [...kept, ...added].join('\n');
}
