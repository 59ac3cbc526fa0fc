/** The match includes `":`, which only follows a field name: inside a string, the quote is escaped with a backslash. */
const SECRET_MEMBER =
  /(?:secrets?|password|passphrase|token|api[_-]?key|authorization|cookie|credentials|encryptionKeys?|private[_-]?key)":/gi;

const CENSORED = '"[redacted]"';

/**
 * The function works on the finished line, so that it also covers the fields of serializers and child loggers. It is
 * much cheaper than a walk through the logged objects.
 */
export function redactMembers(line: string): string {
  SECRET_MEMBER.lastIndex = 0;
  let redacted = '';
  let copiedUntil = 0;
  for (let match = SECRET_MEMBER.exec(line); match; match = SECRET_MEMBER.exec(line)) {
    const valueStart = SECRET_MEMBER.lastIndex;
    const valueEnd = endOfValue(line, valueStart);
    redacted += line.slice(copiedUntil, valueStart) + CENSORED;
    copiedUntil = SECRET_MEMBER.lastIndex = valueEnd;
  }
  return copiedUntil === 0 ? line : redacted + line.slice(copiedUntil);
}

/** If the JSON is broken, returns the end of the line, so that no part of the value is logged. */
function endOfValue(line: string, start: number): number {
  let depth = 0;
  for (let index = start; index < line.length; index++) {
    const char = line[index];
    if (char === '"') index = endOfString(line, index);
    else if (char === '{' || char === '[') depth++;
    else if (depth === 0 && (char === ',' || char === '}' || char === ']')) return index;
    else if (char === '}' || char === ']') depth--;
  }
  return line.length;
}

function endOfString(line: string, open: number): number {
  let index = open + 1;
  while (index < line.length && line[index] !== '"') index += line[index] === '\\' ? 2 : 1;
  return index;
}
