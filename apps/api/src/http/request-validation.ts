import { plainToInstance } from 'class-transformer';
import {
  getMetadataStorage,
  type MetadataStorage,
  ValidateBy,
  validateSync,
  type ValidationError,
} from 'class-validator';
import { closest, type ErrorPlace, type GivenName, isId, isJsonObject, jsonPointer, parseTimestamp } from '@app/kernel';
import {
  type Advice,
  adviceOnField,
  adviceOnParameter,
  invalidRequest,
  placeOf,
  pointerTo,
  type RequestPart,
  unknownFields,
  withNul,
} from './invalid-request.js';

/** A class with class-validator decorators that declares all fields of a request. */
export type RequestShape<T extends object = object> = new () => T;

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
  const errors = [
    ...unknownFields(knownFields(shape), given, { part, advice }),
    ...(part === 'query' ? withNul(given) : []),
  ];
  if (errors.length > 0) throw invalidRequest(errors);
  const instance = part === 'body' ? Object.assign(new shape(), given) : plainToInstance(shape, { ...given });
  const found = validateSync(instance, { stopAtFirstError: true, validationError: { target: false } });
  if (found.length > 0) {
    const places = found.map((error) => wrongItem(shape, error, part) ?? wrongField(error, part));
    throw invalidRequest(
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
