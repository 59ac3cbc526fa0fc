import { type DefinitionPlace, stepsBefore } from './definition-place.js';
import { type Json, listOf, objectOf, textOf } from '../plan/definition-json.js';

/** The part of a JSON Schema that describes what an expression can read. */
export interface Shape {
  type?: unknown;
  description?: unknown;
  properties?: Readonly<Record<string, Shape>>;
  items?: Shape;
}

const TEXT: Shape = { type: 'string' };
const NUMBER: Shape = { type: 'number' };

/** Returns an object with members of these names, all of them texts. */
function withTexts(...names: readonly string[]): Shape {
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, TEXT])) };
}

function object(properties: Readonly<Record<string, Shape>>): Shape {
  return { type: 'object', properties };
}

/** What the service provides, by name. docs/expressions.md lists the same names. */
const SERVICE: Readonly<Record<string, Shape>> = {
  run: withTexts('id', 'mode', 'started_at', 'initiator'),
  agent: object({ id: TEXT, name: TEXT, version: NUMBER }),
  trigger: withTexts('type', 'id', 'fire_at', 'mailbox', 'message_id', 'key', 'run', 'client', 'tool'),
  error: withTexts('code', 'message', 'step'),
  tool: withTexts('name', 'scope', 'effect', 'host'),
  call: withTexts('key', 'tool'),
  response: object({ status: NUMBER, headers: { type: 'object' }, body: {} }),
  poll: withTexts('last_at'),
  caller: withTexts('member', 'client'),
  email: object({
    ...withTexts('from', 'from_name', 'sender', 'subject', 'text', 'html', 'date', 'message_id', 'in_reply_to')
      .properties,
    ...withTexts('reply_to', 'spf', 'dkim', 'dmarc').properties,
    to: { type: 'array', items: TEXT },
    cc: { type: 'array', items: TEXT },
    references: { type: 'array', items: TEXT },
    attachments: { type: 'array' },
    auto_submitted: { type: 'boolean' },
    bounce: { type: 'boolean' },
    truncated: { type: 'boolean' },
  }),
};
const ENDED_RUN = object({
  ...withTexts('id', 'status', 'mode', 'initiator', 'started_at', 'ended_at', 'cost').properties,
  error: withTexts('code', 'message', 'step'),
  duration_ms: NUMBER,
  steps: NUMBER,
});

const RUN = ['input', 'trigger', 'run', 'agent'];
/** The names that a place can read, by its path. The first match counts. docs/expressions.md has the same table. */
const READABLE: readonly (readonly [path: RegExp, names: readonly string[]])[] = [
  [/^steps\b/, [...RUN, 'steps']],
  [/^on_failure\b/, [...RUN, 'steps', 'error']],
  [/^instructions$/, RUN],
  [/^(policies|approvals)\b/, [...RUN, 'steps', 'tool', 'request']],
  [/^tools\/.*\breconcile\/(applied_if|output)\b/, ['request', 'call', 'response']],
  [/^tools\/.*\breconcile\b/, ['request', 'call']],
  [/^tools\/\d+\/(dsn|imap)\b/, ['secrets']],
  [/^tools\/\d+\/(to|simulate)\b|^tools\/.*\/simulate\b/, [...RUN, 'request']],
  [/^tools\b/, ['secrets', ...RUN, 'request']],
  [/^triggers\/\d+\/(auth|imap)\b/, ['secrets']],
  [/^triggers\/\d+\/respond\b/, ['output', 'run', 'body', 'trigger']],
  [/^triggers\/\d+\/with\b/, ['poll', 'trigger']],
  [/^triggers\/\d+\/items$/, ['output']],
  [/^triggers\/\d+\/key$/, ['item']],
  [/^concurrency\b/, ['input', 'trigger', 'agent']],
  [/^evaluation\b.*\/with$/, ['output', ...RUN, 'steps', 'request']],
  [/^evaluation\b/, ['output', ...RUN, 'steps']],
  [/^expose\b/, ['caller']],
];
/** The names in `filter`, `map` and `input` of a trigger, by its type. */
const READABLE_IN_TRIGGERS: Readonly<Record<string, readonly string[]>> = {
  webhook: ['body', 'trigger'],
  email: ['email', 'trigger'],
  poll: ['item', 'output', 'trigger'],
  schedule: ['trigger'],
};

/** Returns the names that an expression at the place can read, with what is known about their values. */
export function namesAt(place: DefinitionPlace, secrets: readonly string[]): Map<string, Shape> {
  const { path, definition, around } = place;
  const address = path.join('/');
  const trigger = path[0] === 'triggers' ? textOf(around[1]?.type) : '';
  const names = READABLE.find(([pattern]) => pattern.test(address))?.[1] ?? READABLE_IN_TRIGGERS[trigger] ?? RUN;
  const input = schemaOf(definition.input);
  const isAfterRun = names.includes('output') && (path[0] === 'evaluation' || address.endsWith('respond'));
  const found = new Map<string, Shape>(
    names.map((name) => {
      if (name === 'input') return [name, input];
      if (name === 'steps') return [name, object(Object.fromEntries(stepsBefore(place).flatMap(resultOf)))];
      if (name === 'secrets') return [name, withTexts(...secrets)];
      if (name === 'request') return [name, requestAt(place)];
      if (name === 'output') return [name, schemaOf(definition.output)];
      if (name === 'run' && isAfterRun) return [name, ENDED_RUN];
      return [name, SERVICE[name] ?? {}];
    }),
  );
  for (const block of around) addLoopNames(block, found, path);
  return found;
}

/** Adds `carry` of a `repeat`, and the item of a `for_each`. */
function addLoopNames(block: Json, found: Map<string, Shape>, path: readonly (string | number)[]): void {
  if (block.repeat !== undefined && path.includes('repeat'))
    found.set('carry', valueShape(objectOf(objectOf(block.repeat).carry)));
  if (block.for_each === undefined || !path.includes('steps', 2)) return;
  const list = /^(?:\$\{\{)?\s*([\w.]+)\s*(?:\}\})?$/.exec(textOf(block.for_each))?.[1];
  const items = list === undefined ? undefined : shapeAt(found, list.split('.'))?.items;
  found.set(textOf(block.as) || 'item', items ?? {});
}

/** Follows members, for example `input`, `order`, `total`. Returns undefined if the schema does not describe them. */
export function shapeAt(names: ReadonlyMap<string, Shape>, chain: readonly string[]): Shape | undefined {
  const [first = '', ...members] = chain;
  return members.reduce<Shape | undefined>(
    (shape, member) => (/^\d+$/.test(member) ? shape?.items : shape?.properties?.[member]),
    names.get(first),
  );
}

/** Returns the entry of a step in `steps`: its output as far as the definition describes it, its status and its error. */
function resultOf(step: Json): [string, Shape][] {
  const id = textOf(step.id);
  if (id === '') return [];
  const error = object({ code: TEXT, message: TEXT, status: NUMBER, body: {} });
  return [[id, object({ output: outputOf(step), status: TEXT, error })]];
}

function outputOf(step: Json): Shape {
  if (step.let !== undefined) return valueShape(step.let);
  if (step.output !== undefined) return valueShape(step.output);
  if (step.agent !== undefined) return schemaOf(objectOf(step.agent).output);
  if (step.ask !== undefined) return schemaOf(objectOf(step.ask).form);
  if (step.approval !== undefined)
    return object({ decision: TEXT, decided_by: { type: 'array', items: TEXT }, comment: TEXT });
  if (step.retrieve !== undefined) return object({ passages: { type: 'array' } });
  if (step.repeat !== undefined) return object({ carry: valueShape(objectOf(step.repeat).carry), rounds: NUMBER });
  if (step.wait !== undefined) return schemaOf(objectOf(objectOf(step.wait).callback).schema);
  return step.for_each !== undefined || step.parallel !== undefined ? { type: 'array' } : {};
}

/** Returns the shape of a value that the definition contains. The values of expressions are unknown. */
function valueShape(value: unknown): Shape {
  if (Array.isArray(value)) return { type: 'array', items: valueShape(value[0]) };
  if (typeof value === 'object' && value !== null)
    return object(Object.fromEntries(Object.entries(value).map(([name, member]) => [name, valueShape(member)])));
  return typeof value === 'string' && value.includes('${{') ? {} : { type: typeof value };
}

/** Returns the schema, in which `$ref` is replaced by its definition. A schema that contains itself ends at that place. */
function schemaOf(schema: unknown, root = objectOf(schema), depth = 0): Shape {
  const given = objectOf(schema);
  if (depth > 8) return {};
  const target = textOf(given.$ref).split('/').slice(1);
  const referenced = target.length === 0 ? {} : target.reduce<unknown>((at, part) => objectOf(at)[part], root);
  const { properties, items, ...own } = { ...objectOf(referenced), ...given };
  return {
    ...own,
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(objectOf(properties)).map(([name, member]) => [name, schemaOf(member, root, depth + 1)]),
      ),
    }),
    ...(items !== undefined && { items: schemaOf(items, root, depth + 1) }),
  };
}

/** Returns the request of the tool that contains the place. In a policy, returns the requests of the tools it names. */
function requestAt({ path, definition, around }: DefinitionPlace): Shape {
  const tools = path[0] === 'tools' ? [listOf(definition.tools)[Number(path[1])]] : listOf(definition.tools);
  const conditions = JSON.stringify(path[0] === 'policies' ? (around[1]?.when ?? '') : '');
  const operations = tools.map(objectOf).flatMap((tool) =>
    listOf(tool.operations)
      .map(objectOf)
      .map((operation) => ({ operation, name: `${textOf(tool.name)}.${textOf(operation.name)}` })),
  );
  const here = path[2] === 'operations' && path[0] === 'tools' ? [operations[Number(path[3])]] : operations;
  const named = here.filter((each) => each !== undefined && conditions.includes(each.name));
  const members = (named.length > 0 ? named : here).map((each) => {
    const { request, path: url } = each?.operation ?? {};
    const parameters = Array.from(textOf(url).matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
    return { ...withTexts(...parameters).properties, ...schemaOf(request).properties };
  });
  return object(Object.assign({}, ...members) as Record<string, Shape>);
}
