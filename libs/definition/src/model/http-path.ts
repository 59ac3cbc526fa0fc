import type { PathPart } from './compiled-tool.js';

/** `/orders/{order_id}/lines` → text, parameter, text. */
export function parsePath(path: string): PathPart[] {
  return path
    .split(/(\{[^{}]*\})/)
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('{') ? { parameter: part.slice(1, -1) } : { text: part }));
}

/** A base URL without the slash at its end. */
export function trimSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url;
}
