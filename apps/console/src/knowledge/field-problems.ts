/** One entry of `errors` in an error response. `pointer` is the JSON Pointer of the invalid value. */
export interface ProblemPlace {
  pointer?: string;
  detail?: string;
}

/**
 * Returns the errors of the field at the JSON Pointer `pointer`, and of the entries of this field, as one text. `text`
 * is the text of the field, with one entry per line. The error of an entry begins with the line number of the entry.
 */
export function problemAt(places: readonly ProblemPlace[], pointer: string, text = ''): string | undefined {
  const found = places.flatMap(({ pointer: at, detail = '' }) => {
    if (at === pointer) return [detail];
    if (at?.startsWith(`${pointer}/`) !== true) return [];
    const line = lineOf(text, at.slice(pointer.length + 1));
    return [line === undefined ? detail : `Line ${line}: ${detail}`];
  });
  return found.length === 0 ? undefined : found.join(' ');
}

/** Returns the number of the line that contains the entry with the index `index`. Empty lines are not entries. */
function lineOf(text: string, index: string): number | undefined {
  if (!/^\d+$/.test(index)) return undefined;
  const lines = text.split('\n').flatMap((line, n) => (line === '' ? [] : [n + 1]));
  return lines[Number(index)];
}
