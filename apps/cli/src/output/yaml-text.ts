import { stringify } from 'yaml';
import { escapedJson, hasControls } from './escaped-text.js';

/** Quotes strings with control characters, so that these characters become escapes. */
export function yamlText(value: unknown): string {
  const plain = stringify(value, { lineWidth: 0 });
  if (!hasControls(JSON.stringify(value)) && !hasControls(plain)) return plain;
  const quoted = stringify(value, { lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'QUOTE_DOUBLE' });
  return escapedJson(quoted);
}
