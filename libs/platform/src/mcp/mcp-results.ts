import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { SdkError, SdkErrorCode, type StandardSchemaV1 } from '@modelcontextprotocol/client';

export interface McpToolDescription {
  readonly name: string;
  readonly description: string | null;
  readonly inputSchema: JsonObject;
  /** The annotation `readOnlyHint`. It is a claim of the server that the service cannot verify. */
  readonly readsOnly: boolean;
}

export interface McpAnswer {
  /** True if the tool reports that it failed. */
  readonly isError: boolean;
  /** Blocks of content as the protocol defines them. */
  readonly content: readonly JsonValue[];
  readonly structured: JsonObject | null;
}

export interface ToolPage {
  readonly tools: readonly McpToolDescription[];
  readonly nextCursor: string | undefined;
}

/**
 * A schema that accepts every result, so that the library does not validate results. The schemas of the library collect
 * each error of each field, so validating a response of 1 MB could take a minute and 3 GB of memory. The functions
 * below check the results instead and stop at the first error.
 */
export const ANY_RESULT: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'agent-automation-service', validate: (value) => ({ value }) },
};

/** @throws SdkError for a result of `tools/list` that violates the protocol */
export function readTools(result: unknown): ToolPage {
  const { tools, nextCursor } = result as { tools?: unknown; nextCursor?: unknown };
  if (!Array.isArray(tools)) throw broken('its list of tools is not an array');
  return { tools: tools.map(readTool), nextCursor: typeof nextCursor === 'string' ? nextCursor : undefined };
}

function readTool(tool: unknown): McpToolDescription {
  if (!isJsonObject(tool) || typeof tool.name !== 'string') throw broken('a tool has no name');
  const { name, description, inputSchema, annotations } = tool;
  if (!isJsonObject(inputSchema) || inputSchema.type !== 'object')
    throw broken('the input schema of a tool is not a schema of an object');
  return {
    name,
    description: typeof description === 'string' ? description : null,
    inputSchema: plainJson(inputSchema) as JsonObject,
    readsOnly: isJsonObject(annotations) && annotations.readOnlyHint === true,
  };
}

/** @throws SdkError for a result of `tools/call` that violates the protocol */
export function readAnswer(result: unknown): McpAnswer {
  const { isError, content = [], structuredContent } = result as Record<string, unknown>;
  if (!Array.isArray(content) || !content.every(isBlock))
    throw broken('the content of its response is not a list of content blocks');
  if (structuredContent !== undefined && !isJsonObject(structuredContent))
    throw broken('the structured content of its response is not an object');
  return {
    isError: isError === true,
    content: plainJson(content) as JsonValue[],
    structured: structuredContent === undefined ? null : (plainJson(structuredContent) as JsonObject),
  };
}

function isBlock(block: unknown): boolean {
  if (!isJsonObject(block) || typeof block.type !== 'string') return false;
  return block.type !== 'text' || typeof block.text === 'string';
}

function broken(what: string): SdkError {
  return new SdkError(SdkErrorCode.InvalidResult, `The tool server violates the protocol: ${what}.`);
}

/**
 * Removes fields that are `undefined` and other values that are not JSON.
 * @throws RangeError for a value with too many levels
 */
function plainJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}
