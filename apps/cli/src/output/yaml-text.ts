import { stringify } from 'yaml';
import { escapedJson, hasControls } from './escaped-text.js';

/**
 * Converts the value to YAML. If it contains control characters, all strings are quoted, so that these characters
 * become escapes.
 */
export function yamlText(value: unknown): string {
  const plain = stringify(value, { lineWidth: 0 });
  if (!hasControls(JSON.stringify(value)) && !hasControls(plain)) return plain;
  const quoted = stringify(value, { lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'QUOTE_DOUBLE' });
  return escapedJson(quoted);
}
