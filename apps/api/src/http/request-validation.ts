import { plainToInstance } from 'class-transformer';
import {
  getMetadataStorage,
  type MetadataStorage,
  ValidateBy,
  validateSync,
  type ValidationError,
} from 'class-validator';
import {
  closest,
  DomainError,
  type ErrorPlace,
  type GivenName,
  isId,
  isJsonObject,
  jsonPointer,
  parameterPlace,
  parseTimestamp,
} from '@app/kernel';

/** A class with class-validator decorators that declares all fields of a request. */
export type RequestShape<T extends object = object> = new () => T;

/** The validated part of a request. `member` points to a body field, whose strings are converted as in a query. */
export type RequestPart = 'body' | 'query' | { member: string };

/** Returns the advice for an unknown field or parameter whose name resembles no known name. */
export type Advice = (name: string, known: ReadonlySet<string>) => string | undefined;

const fieldsOf = new WeakMap<RequestShape, ReadonlySet<string>>();

/** The field must be a string with an RFC 3339 time. */
export const IsTimestamp = (): PropertyDecorator =>
  ValidateBy({
    name: 'isTimestamp',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && parseTimestamp(value) !== undefined,
      defaultMessage: () => '$property must be an RFC 3339 time such as 2030-01-31T08:00:00Z',
    },
  });

export const IsObjectOrText = (): PropertyDecorator =>
  ValidateBy({
    name: 'isObjectOrText',
    validator: {
      validate: (value: unknown) => typeof value === 'string' || isJsonObject(value),
      defaultMessage: () => '$property must be an object or a string',
    },
  });

const AGENT_ID = 'isAgentId';

/**
 * The field must be the id of an agent, or with `each` a list of ids. If the caller sent a name, the error contains the
 * id.
 */
export const IsAgentId = (options: { each?: true } = {}): PropertyDecorator =>
  ValidateBy(
    {
      name: AGENT_ID,
      validator: {
        validate: (value: unknown) => isId('agent', value),
        defaultMessage: () =>
          options.each
            ? 'each value in $property must be the id of an agent (agt_…)'
            : '$property must be the id of an agent (agt_…)',
      },
    },
    options,
  );

/**
 * The field must be one of many words. The error names only the closest word, because the API description lists all of
 * them.
 */
export const IsOneOf = (words: readonly string[]): PropertyDecorator =>
  ValidateBy({
    name: 'isOneOf',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && words.includes(value),
      defaultMessage: (given) => {
        const near = typeof given?.value === 'string' ? closest(given.value, words) : undefined;
        return `$property must be ${near === undefined ? '' : `${near}, or another `}one of ${words.join(', ')}`;
      },
    },
  });

/**
 * Makes class-validator look up the rules of a class only once. Otherwise it searches the rules of all classes at each
 * request, to find those of the parent classes. Caching is safe, because decorators add rules only while modules load,
 * before the first request. Look-ups with validation groups are not cached, because the service uses no groups.
 */
export function cacheValidationRules(storage: MetadataStorage = getMetadataStorage()): void {
  const rulesOf = new Map<unknown, ReturnType<MetadataStorage['getTargetValidationMetadatas']>>();
  const search = storage.getTargetValidationMetadatas.bind(storage);
  storage.getTargetValidationMetadatas = (shape, schema, always, strictGroups, groups) => {
    if (schema || always || strictGroups || groups) return search(shape, schema, always, strictGroups, groups);
    const cached = rulesOf.get(shape);
    if (cached) return cached;
    const rules = search(shape, schema, always, strictGroups, groups);
    rulesOf.set(shape, rules);
    return rules;
  };
}

/**
 * Returns a validated instance of the class `shape`. Absent fields have the defaults of the class. `@Transform`
 * converts the strings of a query, or of a `member` of the body. A whole body is not converted, so that free-form
 * objects are not copied.
 * @throws DomainError `invalid_request` with one entry in `errors` for each field that is unknown, not valid or (in a
 * query) contains NUL
 */
export function validateRequest<T extends object>(
  shape: RequestShape<T>,
  given: object,
  part: RequestPart,
  advice: Advice = part === 'query' ? adviceOnParameter : adviceOnField,
): T {
  const errors = [...unknownFields(shape, given, { part, advice }), ...(part === 'query' ? withNul(given) : [])];
  if (errors.length > 0) throw invalid(errors);
  const instance = part === 'body' ? Object.assign(new shape(), given) : plainToInstance(shape, { ...given });
  const found = validateSync(instance, { stopAtFirstError: true, validationError: { target: false } });
  if (found.length > 0) {
    const places = found.map((error) => wrongItem(shape, error, part) ?? wrongField(error, part));
    throw invalid(
      places,
      found.flatMap((error, at) => givenNamesOf(error, places[at]!)),
    );
  }
  return instance;
}

/** Drops query parameters that the class does not declare, because external senders add some. */
export function knownParameters(shape: RequestShape, given: object): object {
  const known = knownFields(shape);
  return Object.fromEntries(Object.entries(given).filter(([name]) => known.has(name)));
}

/** Rejects every query parameter. @throws DomainError `invalid_request` with one entry per given parameter */
export function refuseParameters(given: object): void {
  refuseAll(given, { part: 'query', advice: () => 'This operation takes no query parameters. Remove this parameter.' });
}

/** Rejects every field of a body. @throws DomainError `invalid_request` with one entry per given field */
export function refuseFields(given: object): void {
  refuseAll(given, { part: 'body', advice: noAdvice });
}

interface Unknown {
  part: RequestPart;
  advice: Advice;
}

function refuseAll(given: object, unknown: Unknown): void {
  const errors = Object.keys(given).map((name) => unknownField(name, new Set(), unknown));
  if (errors.length > 0) throw invalid(errors);
}

function unknownFields(shape: RequestShape, given: object, unknown: Unknown): ErrorPlace[] {
  const known = knownFields(shape);
  return Object.keys(given)
    .filter((name) => !known.has(name))
    .map((name) => unknownField(name, known, unknown));
}

function unknownField(name: string, known: ReadonlySet<string>, { part, advice }: Unknown): ErrorPlace {
  const what = part === 'query' ? 'query parameter' : 'field';
  const near = closest(name, known);
  const suggestion = near === undefined ? advice(name, known) : `Did you mean \`${near}\`?`;
  return placeOf(name, part, `There is no ${what} ${JSON.stringify(name.slice(0, 64))}.`, suggestion);
}

function noAdvice(): undefined {
  return undefined;
}

/** If the body has a field `config`, advises the caller to put the settings of a connector there. */
function adviceOnField(name: string, known: ReadonlySet<string>): string | undefined {
  if (!known.has('config')) return undefined;
  return `Put the fields of the connector into \`config\`: {"config": {${JSON.stringify(name.slice(0, 64))}: …}}.`;
}

/** Names of list parameters in other APIs, and what to use here instead. */
const OF_OTHER_APIS: readonly { name: RegExp; parameter: string; advice: string }[] = [
  {
    name: /^(page|offset|skip|start|from|after|before|(page|next)_?(token|cursor)|(starting|ending)_(after|before))$/i,
    parameter: 'cursor',
    advice: 'Lists are paged with `cursor`: send the `next_cursor` of the previous page.',
  },
  {
    name: /^(per_?page|page_?size|size|count|top|max_?results|first|last)$/i,
    parameter: 'limit',
    advice: 'Send the number of resources per page as `limit`.',
  },
  {
    name: /^(sort|sort_?(by|order)|order_?by|dir|direction)$/i,
    parameter: 'order',
    advice: 'Lists are ordered by creation time: send `order=asc` or `order=desc`.',
  },
];

function adviceOnParameter(name: string, known: ReadonlySet<string>): string {
  const other = OF_OTHER_APIS.find((each) => known.has(each.parameter) && each.name.test(name));
  return other?.advice ?? `Parameters of this operation: ${[...known].map((each) => `\`${each}\``).join(', ')}.`;
}

// Postgres cannot store NUL, so such a parameter never matches. A body is checked for NUL when it is read.
function withNul(given: object): ErrorPlace[] {
  return Object.entries(given)
    .filter(([, value]) => [value].flat().some((text: unknown) => typeof text === 'string' && text.includes('\0')))
    .map(([name]) => parameterPlace(name, `${name} must not contain NUL characters.`));
}

/**
 * Finds the first invalid item of a list by validating each item alone. Returns undefined if the list itself is
 * invalid.
 */
function wrongItem(
  shape: RequestShape,
  { property, value }: ValidationError,
  part: RequestPart,
): ErrorPlace | undefined {
  if (part === 'query' || !Array.isArray(value)) return undefined;
  for (const [at, item] of (value as unknown[]).entries()) {
    const alone = Object.assign(new shape(), { [property]: [item] });
    const messages = validateSync(alone, { stopAtFirstError: true })
      .filter((error) => error.property === property)
      .flatMap(({ constraints }) => Object.values(constraints ?? {}))
      .filter((message) => message.startsWith('each value in '));
    const [message] = messages;
    if (message === undefined) continue;
    const detail = `${inPlainWords(message)}, not ${JSON.stringify(item).slice(0, 64).toWellFormed()}.`;
    return { pointer: pointerTo(part, jsonPointer([property, at])), detail };
  }
  return undefined;
}

function wrongField(error: ValidationError, part: RequestPart): ErrorPlace {
  const given: unknown = error.value;
  const [message = `${error.property} is not valid`] = Object.values(error.constraints ?? {});
  const repeated = part === 'query' && Array.isArray(given) && !message.startsWith('each value in ');
  const detail = repeated ? `${error.property} may be given only once` : inPlainWords(message);
  return placeOf(error.property, part, `${detail}.`);
}

function inPlainWords(message: string): string {
  return message.replace(/^each value in /, '').replace('one of the following values: ', 'one of ');
}

function placeOf(name: string, part: RequestPart, detail: string, suggestion?: string): ErrorPlace {
  if (part === 'query') return parameterPlace(name, detail, suggestion);
  const pointer = pointerTo(part, jsonPointer([name]));
  return { pointer, detail, ...(suggestion !== undefined && { suggestion }) };
}

function pointerTo(part: RequestPart, pointer: string): string {
  return typeof part === 'object' ? `${part.member}${pointer}` : pointer;
}

function knownFields(shape: RequestShape): ReadonlySet<string> {
  const cached = fieldsOf.get(shape);
  if (cached) return cached;
  const rules = getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false);
  const fields = new Set(rules.map((rule) => rule.propertyName));
  fieldsOf.set(shape, fields);
  return fields;
}

/** If the field must be the id of an agent, returns the rejected value, because it may be the name of an agent. */
function givenNamesOf({ constraints, value }: ValidationError, { pointer }: ErrorPlace): GivenName[] {
  if (!constraints || !(AGENT_ID in constraints)) return [];
  const given: unknown = Array.isArray(value) ? (value as unknown[])[Number(pointer.split('/').at(-1))] : value;
  return typeof given === 'string' ? [{ kind: 'agent', name: given, pointer }] : [];
}

function invalid(errors: readonly ErrorPlace[], givenNames: readonly GivenName[] = []): DomainError {
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more, see errors)` : '';
  return new DomainError(
    'invalid_request',
    `${first?.detail ?? ''}${first?.suggestion ? ` ${first.suggestion}` : ''}${more}`,
    { errors, givenNames },
  );
}
