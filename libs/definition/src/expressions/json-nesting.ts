import { MAX_JSON_DEPTH } from '@app/kernel';

/** The `words` of a {@link FunctionFailure} for data that is nested too deeply to be decoded. */
export const NESTED_TOO_DEEP = `decodes data that is nested deeper than ${MAX_JSON_DEPTH} levels`;

/** Checks the nesting of JSON before it is parsed. If the nesting is too deep, returns the `words` of a failure. */
export function findUnsafeNesting(text: string): string | undefined {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (isText) {
      if (char === BACKSLASH) at++;
      else if (char === QUOTE) isText = false;
    } else if (char === QUOTE) isText = true;
    else if (char === OPEN_LIST || char === OPEN_OBJECT) depth++;
    else if (char === CLOSE_LIST || char === CLOSE_OBJECT) depth--;
    if (depth > MAX_JSON_DEPTH) return NESTED_TOO_DEEP;
  }
  return undefined;
}

const [BACKSLASH, QUOTE] = [0x5c, 0x22];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
