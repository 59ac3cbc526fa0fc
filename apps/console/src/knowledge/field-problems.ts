/** A place of a refusal. */
export interface ProblemPlace {
  pointer?: string;
  detail?: string;
}

/** The refusals of a field and of its entries. `text` has one entry a line, so that the line can be named. */
export function problemAt(places: readonly ProblemPlace[], pointer: string, text = ''): string | undefined {
  const found = places.flatMap(({ pointer: at, detail = '' }) => {
    if (at === pointer) return [detail];
    if (at?.startsWith(`${pointer}/`) !== true) return [];
    const line = lineOf(text, at.slice(pointer.length + 1));
    return [line === undefined ? detail : `Line ${line}: ${detail}`];
  });
  return found.length === 0 ? undefined : found.join(' ');
}

/** The line of the entry with this index. Empty lines are no entries. */
function lineOf(text: string, index: string): number | undefined {
  if (!/^\d+$/.test(index)) return undefined;
  const lines = text.split('\n').flatMap((line, n) => (line === '' ? [] : [n + 1]));
  return lines[Number(index)];
}
