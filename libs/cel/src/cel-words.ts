/**
 * The words that CEL uses itself. A field with such a name can only be read with brackets and quotes, for example
 * `steps['in']`.
 */
export const CEL_WORDS: ReadonlySet<string> = new Set(['in', 'true', 'false', 'null']);

/** Names that a variable cannot have, because CEL and the engine reserve them. */
const RESERVED_WORDS = [
  'as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if', 'import', 'let', 'loop', 'package', 'namespace',
  'return', 'var', 'void', 'while', '__proto__', 'prototype',
]; // prettier-ignore

export const NO_VARIABLES: ReadonlySet<string> = new Set([...CEL_WORDS, ...RESERVED_WORDS]);
