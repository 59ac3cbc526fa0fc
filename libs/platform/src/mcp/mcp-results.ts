import { errorText, isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';

export interface McpToolDescription {
  readonly name: string;
  readonly description: string | null;
  readonly inputSchema: JsonObject;
  /** The annotation `readOnlyHint`. It is a claim of the server that the service cannot verify. */
  readonly readsOnly: boolean;
  /** Why the tool cannot be called. Its `inputSchema` is then empty. Null if it can be called. */
  readonly problem: string | null;
}

export interface McpAnswer {
  /** True if the tool reports that it failed. */
  readonly isError: boolean;
  /** Blocks of content as the protocol defines them. */
  readonly content: readonly JsonValue[];
  /** Undefined if the response has no structured content. */
  readonly structured: JsonValue | undefined;
}

export interface ToolPage {
  readonly tools: readonly McpToolDescription[];
  readonly nextCursor: string | undefined;
}

/** A result that violates the protocol. */
export class InvalidResult extends Error {
  constructor(what: string) {
    super(`The tool server violates the protocol: ${what}.`);
  }
}

/**
 * Reads one page. A tool without a name is left out, because no definition can include it.
 * @throws InvalidResult
 */
export function readTools(result: unknown): ToolPage {
  const { tools, nextCursor } = fieldsOf(result);
  if (!Array.isArray(tools)) throw new InvalidResult('its list of tools is not an array');
  return {
    tools: tools.flatMap((tool) => readTool(tool) ?? []),
    nextCursor: typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : undefined,
  };
}

function readTool(tool: unknown): McpToolDescription | undefined {
  if (!isJsonObject(tool) || typeof tool.name !== 'string') return undefined;
  const { name, description, annotations } = tool;
  const read = readInputSchema(tool);
  return {
    name,
    description: typeof description === 'string' ? description : null,
    inputSchema: typeof read === 'string' ? {} : read,
    readsOnly: isJsonObject(annotations) && annotations.readOnlyHint === true,
    problem: typeof read === 'string' ? read : null,
  };
}

/** Returns the problem as text if the tool cannot be called. */
function readInputSchema({ inputSchema, execution }: JsonObject): JsonObject | string {
  if (!isJsonObject(inputSchema) || inputSchema.type !== 'object')
    return 'its input schema is not a schema with `type: object`';
  if (isJsonObject(execution) && execution.taskSupport === 'required')
    return 'it can only be called as a task, which this service does not support';
  try {
    return plainJson(inputSchema) as JsonObject;
  } catch (error) {
    return `its input schema cannot be read (${errorText(error)})`;
  }
}

/**
 * Reads the result of `tools/call`.
 * @throws InvalidResult
 */
export function readAnswer(result: unknown): McpAnswer {
  const { isError, content = [], structuredContent } = fieldsOf(result);
  if (!Array.isArray(content) || !content.every(isBlock))
    throw new InvalidResult('the content of its response is not a list of content blocks');
  try {
    return {
      isError: isError === true,
      content: plainJson(content) as JsonValue[],
      structured: structuredContent === undefined ? undefined : plainJson(structuredContent),
    };
  } catch (error) {
    throw new InvalidResult(`its response cannot be read (${errorText(error)})`);
  }
}

function fieldsOf(result: unknown): Record<string, unknown> {
  return typeof result === 'object' && result !== null ? { ...result } : {};
}

function isBlock(block: unknown): boolean {
  if (!isJsonObject(block) || typeof block.type !== 'string') return false;
  return block.type !== 'text' || typeof block.text === 'string';
}

/**
 * Removes fields that are `undefined` and other values that are not JSON.
 * @throws RangeError for a value with too many levels
 */
function plainJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}
