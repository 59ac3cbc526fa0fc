import type { JsonObject } from '@app/kernel';

/** Operations of the test tool. They differ in the effect of a repeated call. */
const OPERATIONS = {
  read: { name: 'read', method: 'GET', path: '/{place}' },
  /** A write operation that may be repeated, because the tool recognises a repeated call by its idempotency key. */
  idempotent: {
    name: 'idempotent',
    method: 'POST',
    path: '/{place}',
    effect: 'idempotent',
    idempotency: { header: 'Idempotency-Key' },
  },
  /** A write operation that must not be repeated. This is the default for write operations. */
  write: { name: 'write', method: 'POST', path: '/{place}' },
} satisfies Record<string, JsonObject>;

export type ToolOperationName = keyof typeof OPERATIONS;

/**
 * Returns the definition of an agent that calls the tool at `url` once for each entry `[operation, path]`, in order,
 * and then returns `{done: true}`. `timeout` is the time limit of a call (default: that of the product).
 */
export function aToolAgent(
  name: string,
  url: string,
  calls: [ToolOperationName, string][],
  timeout?: string,
): JsonObject {
  const operations = Object.values(OPERATIONS).map((operation) => ({
    ...operation,
    ...(timeout !== undefined && { timeout }),
  }));
  return {
    name,
    tools: [{ name: 'tool', type: 'http', base_url: url, operations }],
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
