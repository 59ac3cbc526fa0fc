import type { PathPart } from '../model/compiled-tool.js';

/** `/orders/{order_id}/lines` → text, parameter, text. */
export function parsePath(path: string): PathPart[] {
  return path
    .split(/(\{[^{}]*\})/)
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('{') ? { parameter: part.slice(1, -1) } : { text: part }));
}
