import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, ValidateBy, ValidateIf, validateSync, type ValidationError } from 'class-validator';
import { closest, DomainError, type ErrorPlace, jsonPointer, parseTimestamp } from '@app/kernel';

/** A class whose fields carry class-validator decorators: the whole of what a request may contain. */
export type RequestShape<T extends object = object> = new () => T;

export type RequestPart = 'body' | 'query';

const fieldsOf = new WeakMap<RequestShape, ReadonlySet<string>>();

/** The field may be absent. Unlike `@IsOptional` it may not be null. */
export const Optional = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined);

/** The field of a body is the text of an RFC 3339 date-time. */
export const IsTimestamp = (): PropertyDecorator =>
  ValidateBy({
    name: 'isTimestamp',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && parseTimestamp(value) !== undefined,
      defaultMessage: () => '$property must be an RFC 3339 time such as 2030-01-31T08:00:00Z',
    },
  });

/**
 * A validated instance of the shape. Fields that are absent keep the shape's defaults. The texts of a query are converted
 * first, as the shape asks for (`@Transform`); values of a body are taken as they are, so free-form objects are not copied.
 * @throws DomainError `invalid_request` with one place per field that is unknown or wrong, a parameter with a NUL among them
 */
export function validateRequest<T extends object>(shape: RequestShape<T>, given: object, part: RequestPart): T {
  const errors = [...unknownFields(shape, given, part), ...(part === 'query' ? withNul(given) : [])];
  if (errors.length > 0) throw invalid(errors);
  const instance = part === 'query' ? plainToInstance(shape, { ...given }) : Object.assign(new shape(), given);
  const found = validateSync(instance, { stopAtFirstError: true, validationError: { target: false } });
  if (found.length > 0) throw invalid(found.map((error) => wrongItem(shape, error, part) ?? wrongField(error, part)));
  return instance;
}

/** @throws DomainError `invalid_request` with one place per parameter */
export function refuseParameters(given: object): void {
  refuseAll(given, 'query');
}

/** For the body of a request that takes none. @throws DomainError `invalid_request` with one place per field */
export function refuseFields(given: object): void {
  refuseAll(given, 'body');
}

function refuseAll(given: object, part: RequestPart): void {
  const errors = Object.keys(given).map((name) => unknownField(name, new Set(), part));
  if (errors.length > 0) throw invalid(errors);
}

function unknownFields(shape: RequestShape, given: object, part: RequestPart): ErrorPlace[] {
  const known = knownFields(shape);
  return Object.keys(given)
    .filter((name) => !known.has(name))
    .map((name) => unknownField(name, known, part));
}

function unknownField(name: string, known: ReadonlySet<string>, part: RequestPart): ErrorPlace {
  const what = part === 'query' ? 'query parameter' : 'field';
  const near = closest(name, known);
  return {
    pointer: pointerTo(name, part),
    detail: `There is no ${what} ${JSON.stringify(name.slice(0, 64))}.`,
    ...(near !== undefined && { suggestion: `Did you mean \`${near}\`?` }),
  };
}

// Postgres stores no NUL, so nothing that is looked up has one. Bodies are searched for it where they are read.
function withNul(given: object): ErrorPlace[] {
  return Object.entries(given)
    .filter(([, value]) => [value].flat().some((text: unknown) => typeof text === 'string' && text.includes('\0')))
    .map(([name]) => ({ pointer: name, detail: `${name} must not contain NUL characters.` }));
}

/** The first of a list in a body that may not be in it: alone it is wrong as well. Undefined where the list itself is. */
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
    return { pointer: jsonPointer([property, at]), detail };
  }
  return undefined;
}

function wrongField(error: ValidationError, part: RequestPart): ErrorPlace {
  const given: unknown = error.value;
  const [message = `${error.property} is not valid`] = Object.values(error.constraints ?? {});
  const repeated = part === 'query' && Array.isArray(given) && !message.startsWith('each value in ');
  const detail = repeated ? `${error.property} may be given only once` : inPlainWords(message);
  return { pointer: pointerTo(error.property, part), detail: `${detail}.` };
}

// What class-validator says, a little shorter.
function inPlainWords(message: string): string {
  return message.replace(/^each value in /, '').replace('one of the following values: ', 'one of ');
}

function pointerTo(name: string, part: RequestPart): string {
  return part === 'query' ? name : jsonPointer([name]);
}

function knownFields(shape: RequestShape): ReadonlySet<string> {
  const cached = fieldsOf.get(shape);
  if (cached) return cached;
  const rules = getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false);
  const fields = new Set(rules.map((rule) => rule.propertyName));
  fieldsOf.set(shape, fields);
  return fields;
}

function invalid(errors: readonly ErrorPlace[]): DomainError {
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more, see errors)` : '';
  return new DomainError(
    'invalid_request',
    `${first?.detail ?? ''}${first?.suggestion ? ` ${first.suggestion}` : ''}${more}`,
    {
      errors,
    },
  );
}
