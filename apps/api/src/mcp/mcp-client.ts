import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  MissingRequiredClientCapabilityError,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { isJsonObject, type JsonValue } from '@app/kernel';

export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

const MAX_CLIENT_NAME = 100;

/** What the client says about itself in this request. A client that began with `initialize` says nothing. */
export interface McpClient {
  readonly name: string | null;
  readonly hasTasks: boolean;
  readonly canFillForms: boolean;
  readonly canOpenUrls: boolean;
}

export function clientOf({ mcpReq: { envelope } }: ServerContext): McpClient {
  const about = envelope as Readonly<Record<string, JsonValue | undefined>> | undefined;
  const capabilities = member(about?.[CLIENT_CAPABILITIES_META_KEY]);
  const { elicitation } = capabilities;
  const asks = isJsonObject(elicitation);
  return {
    name: nameOf(member(about?.[CLIENT_INFO_META_KEY]).name),
    hasTasks: member(capabilities.extensions)[TASKS_EXTENSION] !== undefined,
    // A client that names no mode supports forms.
    canFillForms: asks && (isJsonObject(elicitation.form) || !isJsonObject(elicitation.url)),
    canOpenUrls: asks && isJsonObject(elicitation.url),
  };
}

/** @throws MissingRequiredClientCapabilityError -32021 */
export function requireTasks(context: ServerContext): void {
  if (clientOf(context).hasTasks) return;
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } });
}

function member(value: JsonValue | undefined): Readonly<Record<string, JsonValue>> {
  return isJsonObject(value) ? value : {};
}

/** The name is a label of the run, so it must be storable text. */
function nameOf(name: JsonValue | undefined): string | null {
  if (typeof name !== 'string') return null;
  const text = name
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ')
    .trim();
  return [...text].slice(0, MAX_CLIENT_NAME).join('') || null;
}
