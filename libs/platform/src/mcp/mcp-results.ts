import { errorText, isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';

export interface McpToolDescription {
  readonly name: string;
  readonly description: string | null;
  readonly inputSchema: JsonObject;
  /** It is a claim of the server that the service cannot verify. */
  readonly readsOnly: boolean;
  readonly problem: string | null;
}

export interface McpAnswer {
  readonly isError: boolean;
  readonly content: readonly JsonValue[];
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
 * A tool without a name is left out, because no definition can include it.
 * @param isLegacy whether the server speaks a revision before 2026-07-28, in which `x-mcp-header` has no meaning
 * @throws InvalidResult
 */
export function readTools(result: unknown, isLegacy: boolean): ToolPage {
  const { tools, nextCursor } = fieldsOf(result);
  if (!Array.isArray(tools)) throw new InvalidResult('its list of tools is not an array');
  return {
    tools: tools.flatMap((tool) => readTool(tool, isLegacy) ?? []),
    nextCursor: typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : undefined,
  };
}

function readTool(tool: unknown, isLegacy: boolean): McpToolDescription | undefined {
  if (!isJsonObject(tool) || typeof tool.name !== 'string') return undefined;
  const { name, description, annotations } = tool;
  const read = readInputSchema(tool, isLegacy);
  return {
    name,
    description: typeof description === 'string' ? description : null,
    inputSchema: typeof read === 'string' ? {} : read,
    readsOnly: isJsonObject(annotations) && annotations.readOnlyHint === true,
    problem: typeof read === 'string' ? read : null,
  };
}

function readInputSchema({ inputSchema, execution }: JsonObject, isLegacy: boolean): JsonObject | string {
  if (!isJsonObject(inputSchema) || inputSchema.type !== 'object')
    return 'its input schema is not a schema with `type: object`';
  if (isJsonObject(execution) && execution.taskSupport === 'required')
    return 'it can only be called as a task, which this service does not support';
  try {
    const schema = plainJson(inputSchema) as JsonObject;
    return (isLegacy ? undefined : headerProblem(schema)) ?? schema;
  } catch (error) {
    return `its input schema cannot be read (${errorText(error)})`;
  }
}

const HEADER_KEY = 'x-mcp-header';
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER_TYPES: readonly unknown[] = ['string', 'integer', 'boolean'];

/** Only properties that are reached through `properties` may have it. */
function headerProblem(schema: JsonObject): string | undefined {
  const names = new Set<string>();
  const isValid = ({ [HEADER_KEY]: name, type }: JsonObject): boolean => {
    if (typeof name !== 'string' || !HEADER_NAME.test(name) || names.has(name.toLowerCase())) return false;
    names.add(name.toLowerCase());
    return HEADER_TYPES.includes(type);
  };
  const areValid = (value: JsonValue | undefined, place: 'root' | 'property' | 'other'): boolean => {
    if (Array.isArray(value)) return value.every((item) => areValid(item, 'other'));
    if (!isJsonObject(value)) return true;
    if (HEADER_KEY in value && (place !== 'property' || !isValid(value))) return false;
    const { properties, ...others } = value;
    const inner = place === 'other' ? 'other' : 'property';
    const members = isJsonObject(properties) ? Object.values(properties) : [];
    return (
      members.every((member) => areValid(member, inner)) &&
      Object.values(others).every((other) => areValid(other, 'other'))
    );
  };
  return areValid(schema, 'root') ? undefined : `its input schema contains an invalid \`${HEADER_KEY}\``;
}

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

function plainJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}
