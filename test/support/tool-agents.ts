import type { JsonObject } from '@app/kernel';

/** The operations of the test tool, by the effect of a repeated call. */
const OPERATIONS = {
  /** A repeated call has no effect. */
  read: { name: 'read', method: 'GET', path: '/{place}' },
  /** Recognises a repeated call by its key. */
  idempotent: {
    name: 'idempotent',
    method: 'POST',
    path: '/{place}',
    effect: 'idempotent',
    idempotency: { header: 'Idempotency-Key' },
  },
  /** Must not be repeated: the default of a write. */
  write: { name: 'write', method: 'POST', path: '/{place}' },
} satisfies Record<string, JsonObject>;

export type ToolOperationName = keyof typeof OPERATIONS;

/**
 * Definition of an agent that calls the tool at `url` once per entry `[operation, path]`, in order, and returns `{done:
 * true}`.
 */
export function aToolAgent(name: string, url: string, calls: [ToolOperationName, string][]): JsonObject {
  return {
    name,
    tools: [{ name: 'tool', type: 'http', base_url: url, operations: Object.values(OPERATIONS) }],
    steps: [
      ...calls.map(([operation, path], index) => ({
        id: `call${index + 1}`,
        tool: `tool.${operation}`,
        with: { place: path.replace(/^\//, '') },
      })),
      { id: 'result', output: { done: true } },
    ],
  };
}
