import { isJsonObject, type JsonObject } from '@app/kernel';
import { OPERATION_EFFECTS, OPERATION_SCOPES } from '../model/compiled-tool.js';
import { type CelType, celTypeOf, type KnownShape } from '@app/cel';
import { hasDefaultAt } from '@app/json-schema';
import type { Place } from './places.js';

const TEXT: JsonObject = { type: 'string' };
const ANY: JsonObject = {};
const FLAG: JsonObject = { type: 'boolean' };
const TEXTS: JsonObject = { type: 'array', items: TEXT };
const VERDICT: JsonObject = {
  enum: ['none', 'neutral', 'pass', 'fail', 'softfail', 'policy', 'temperror', 'permerror', null],
};

/** The fields of the objects that the service provides to expressions. All of these fields are always present. */
const SERVICE_MEMBERS: Readonly<Record<string, Readonly<Record<string, JsonObject>>>> = {
  run: { id: TEXT, mode: { type: 'string', enum: ['production', 'test'] }, started_at: TEXT, initiator: ANY },
  agent: { id: TEXT, name: TEXT, version: { type: 'integer' } },
  tool: {
    name: TEXT,
    scope: { type: 'string', enum: [...OPERATION_SCOPES] },
    effect: { type: 'string', enum: [...OPERATION_EFFECTS] },
    host: ANY,
  },
  call: { key: TEXT, tool: TEXT },
  response: { status: { type: 'integer' }, headers: { type: 'object' }, body: ANY },
  error: { code: TEXT, message: TEXT, step: ANY },
  poll: { last_at: ANY },
  caller: { member: TEXT, client: ANY },
  // Fields with the schema `ANY` may be null.
  email: {
    from: ANY,
    from_name: TEXT,
    sender: ANY,
    to: TEXTS,
    cc: TEXTS,
    reply_to: ANY,
    subject: TEXT,
    text: TEXT,
    html: ANY,
    date: ANY,
    message_id: TEXT,
    in_reply_to: ANY,
    references: TEXTS,
    auto_submitted: FLAG,
    bounce: FLAG,
    spf: VERDICT,
    dkim: VERDICT,
    dmarc: VERDICT,
    attachments: { type: 'array' },
    truncated: FLAG,
    replaced_characters: { type: 'integer' },
  },
};

/** The members of `trigger` beside `type`, by the type of the trigger. */
const TRIGGER_MEMBERS = {
  webhook: ['id'],
  email: ['id', 'mailbox', 'message_id'],
  schedule: ['id', 'fire_at'],
  poll: ['id', 'key'],
  agent: ['run', 'evaluation'],
  mcp: ['client', 'tool'],
  replay: ['run', 'from_step', 'tool_results'],
  evaluation: ['evaluation', 'version', 'case', 'case_n', 'trial', 'baseline'],
} as const;

/** Places at which the type of the trigger is known. At all other places, every trigger may have started the run. */
const TRIGGERS_OF_PLACES: Partial<Record<Place, keyof typeof TRIGGER_MEMBERS>> = {
  webhookTrigger: 'webhook',
  webhookResponse: 'webhook',
  emailTrigger: 'email',
  scheduleTrigger: 'schedule',
  pollRequest: 'poll',
  pollTrigger: 'poll',
};

/**
 * Places where `run` is a run that has ended. It has more fields than `SERVICE_MEMBERS` lists, so its type is not
 * known.
 */
const OPEN_RUNS: ReadonlySet<Place> = new Set(['assertion', 'assertionCall', 'webhookResponse']);

const SERVICE_SHAPES = new Map<string, KnownShape>(
  Object.entries(SERVICE_MEMBERS).map(([name, properties]) => [name, shapeOf(name, properties)]),
);
const TRIGGER_SHAPES = new Map(
  Object.entries(TRIGGER_MEMBERS).map(([type, members]) => [type, triggerShape(members)] as const),
);
const ANY_TRIGGER = triggerShape(Object.values(TRIGGER_MEMBERS).flat());

function shapeOf(name: string, properties: Readonly<Record<string, JsonObject>>): KnownShape {
  const schema: JsonObject = { type: 'object', properties, required: Object.keys(properties) };
  return { type: celTypeOf(schema), schema, owner: `\`${name}\`` };
}

function triggerShape(members: readonly string[]): KnownShape {
  return shapeOf('trigger', { type: TEXT, ...Object.fromEntries(members.map((name) => [name, ANY])) });
}

export function knownShapes(
  place: Place,
  schemas: { input?: JsonObject; request?: RequestShape; carry?: { loop: string; type: CelType } },
): Map<string, KnownShape> {
  const shapes = new Map<string, KnownShape>(SERVICE_SHAPES);
  if (OPEN_RUNS.has(place)) shapes.delete('run');
  shapes.set('trigger', TRIGGER_SHAPES.get(TRIGGERS_OF_PLACES[place] ?? '') ?? ANY_TRIGGER);
  const { input, request, carry } = schemas;
  if (input) {
    const hasDefault = (path: readonly string[]): boolean => hasDefaultAt(input, path);
    shapes.set('input', { type: typeOf(input), schema: input, owner: 'The input schema', hasDefault });
  }
  if (carry) shapes.set('carry', { type: carry.type, owner: `\`carry\` of \`${carry.loop}\`` });
  if (request) {
    const owner = `The request of \`${request.operation}\``;
    shapes.set('request', { type: typeOf(request.schema), schema: request.schema, owner });
  }
  return shapes;
}

export interface RequestShape {
  readonly operation: string;
  readonly schema: JsonObject;
}

const types = new WeakMap<JsonObject, CelType>();

function typeOf(schema: JsonObject): CelType {
  const type = types.get(schema) ?? celTypeOf(schema);
  types.set(schema, type);
  return type;
}

export function operationNamedBy(condition: string): string | undefined {
  const names = conjunctsOf(condition).map((part) => /^tool\.name\s*==\s*(["'])([^"']+)\1$/.exec(part.trim())?.[2]);
  return names.find((name) => name !== undefined);
}

/**
 * Splits a condition at its top-level `&&`. Every returned part must be true for the condition to be true. Returns an
 * empty list if the condition has a top-level `||` or `?`.
 */
function conjunctsOf(source: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let quote = '';
  let from = 0;
  for (let at = 0; at < source.length; at++) {
    const char = source.charAt(at);
    if (quote !== '') {
      if (char === '\\') at++;
      else if (char === quote) quote = '';
    } else if (char === '"' || char === "'") quote = char;
    else if ('([{'.includes(char)) depth++;
    else if (')]}'.includes(char)) depth--;
    else if (depth === 0 && (char === '?' || source.startsWith('||', at))) return [];
    else if (depth === 0 && source.startsWith('&&', at)) {
      parts.push(source.slice(from, at));
      from = at + 2;
    }
  }
  return [...parts, source.slice(from)];
}

export function requestShape(operation: string, schema: unknown): RequestShape | undefined {
  return isJsonObject(schema) ? { operation, schema } : undefined;
}
