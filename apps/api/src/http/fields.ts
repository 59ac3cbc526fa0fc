import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsDate,
  IsIn,
  IsInt,
  IsObject,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateIf,
} from 'class-validator';
import { ID_PREFIXES, type IdKind, parseTimestamp } from '@app/kernel';
import { IsAgentId, IsOneOf, IsTimestamp } from './request-validation.js';

/**
 * Options of the decorators for the fields of requests and responses. Each decorator validates a field and describes it
 * in OpenAPI. A rule that OpenAPI can express (`minLength`, `maximum`, `minItems` …) is both checked and described.
 * Strings of query parameters are converted to the type of the field before they are validated.
 */
export interface FieldOptions {
  description?: string;
  example?: unknown;
  default?: unknown;
  /** The field may be absent. */
  optional?: true;
  nullable?: true;
  /** The field is a list. In a query, the parameter is repeated, or its values are separated by commas. */
  list?: true;
  minItems?: number;
  maxItems?: number;
  /** Like `minItems`, but not part of the OpenAPI document. */
  least?: number;
  /** Like `maxItems`, but not part of the OpenAPI document. */
  most?: number;
}

interface TextOptions extends FieldOptions {
  minLength?: number;
  maxLength?: number;
  /** Like `maxLength`, but not part of the OpenAPI document. */
  longest?: number;
  /** In a query, the parameter may be repeated. A comma is part of the value. */
  repeats?: true;
  /**
   * The string must match this pattern. `message` explains it to the caller. The OpenAPI document contains neither the
   * pattern nor the message.
   */
  pattern?: RegExp;
  message?: string;
  format?: string;
}

interface WholeOptions extends FieldOptions {
  minimum?: number;
  maximum?: number;
  /** Like `maximum`, but not part of the OpenAPI document. */
  highest?: number;
  /** Replaces the default message for a value that is not a whole number. */
  message?: string;
}

type Rule = PropertyDecorator;

/** A string. If `pattern` is set, only the pattern is checked. The OpenAPI document still contains the lengths. */
export const Text = (given: TextOptions = {}): PropertyDecorator => {
  const { minLength, maxLength, longest = maxLength, pattern, message, format, repeats, ...options } = given;
  const each = eachOf(options);
  const lengths = [
    ...(minLength === undefined ? [] : [MinLength(minLength, each)]),
    ...(longest === undefined ? [] : [MaxLength(longest, each)]),
  ];
  const rules = pattern === undefined ? lengths : [Matches(pattern, { message, ...each })];
  const converters = repeats ? [Transform(repeated)] : [];
  return field({ type: String, minLength, maxLength, format }, options, [...converters, IsString(each), ...rules]);
};

/** The rule for names: printable characters, no space at either end, at most `maxLength` characters. */
export const printable = (maxLength: number): Required<Pick<TextOptions, 'pattern' | 'message'>> => ({
  pattern: new RegExp(`^(?=\\S)[^\\p{Cc}]{1,${maxLength}}(?<=\\S)$`, 'u'),
  message: `$property must be 1 to ${maxLength} characters, without spaces around it`,
});

export const Name = (options: FieldOptions & { maxLength: number }): PropertyDecorator =>
  Text({ minLength: 1, ...printable(options.maxLength), ...options });

export const Whole = (given: WholeOptions = {}): PropertyDecorator => {
  const { minimum, maximum, highest = maximum, message, ...options } = given;
  return field({ type: 'integer', minimum, maximum }, options, [
    Transform(wholeNumber),
    IsInt(message === undefined ? undefined : { message }),
    ...(minimum === undefined ? [] : [Min(minimum)]),
    ...(highest === undefined ? [] : [Max(highest)]),
  ]);
};

export const Flag = (options: FieldOptions = {}): PropertyDecorator =>
  field({ type: Boolean }, options, [Transform(flag), IsBoolean({ message: '$property must be true or false' })]);

/**
 * A string from a list of words.
 * @param suggests if true, the error names only the closest word, because the list is long
 */
export const OneOf = (
  words: readonly string[],
  { suggests = false, ...options }: FieldOptions & { suggests?: boolean } = {},
): PropertyDecorator =>
  field({ enum: [...words] }, options, [
    ...(options.list ? [Transform(commaList)] : []),
    suggests ? IsOneOf(words) : IsIn(words, eachOf(options)),
  ]);

/** An RFC 3339 time in a body or a response. */
export const Timestamp = (options: FieldOptions = {}): PropertyDecorator =>
  field({ type: String, format: 'date-time' }, options, [IsTimestamp()]);

/** An RFC 3339 time in a query. It is converted to a `Date`. */
export const TimeParameter = (options: FieldOptions = {}): PropertyDecorator => {
  const message = '$property must be an RFC 3339 time such as 2026-01-31T08:00:00Z (a plus sign is written %2B)';
  return field({ type: String, format: 'date-time' }, options, [Transform(timestamp), IsDate({ message })]);
};

/** Id of an agent. If the caller sends the name of an agent instead, the error contains the id of this agent. */
export const AgentId = (options: FieldOptions = {}): PropertyDecorator =>
  field({ type: String }, options, [IsAgentId(options.list ? { each: true } : {})]);

/** Nouns for kinds of ids in error messages and descriptions. For other kinds, `nounOf` splits the camelCase name. */
const NOUNS: Partial<Record<IdKind, string>> = { apiKey: 'API key' };

export function nounOf(kind: IdKind): string {
  return NOUNS[kind] ?? kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** An id in a response. Not for requests, because the value is not checked. */
export const Id = (kind: IdKind, options: FieldOptions = {}): PropertyDecorator => {
  const id = `${ID_PREFIXES[kind]}_01kahzvk3te9d8q6f0f1v3m2sx`;
  const example = options.list ? [id] : id;
  return field({ type: String }, { description: `Id of the ${nounOf(kind)}.`, example, ...options }, []);
};

/** The URL of a page in the console. `path` is for example `runs/run` if the page shows a run. */
export const ConsolePage = (path: string): PropertyDecorator =>
  Text({
    optional: true,
    format: 'uri',
    description: 'Address of the page in the console. Present only if the operator has set `PUBLIC_URL`.',
    example: `https://agents.example.com/console/${path}_01kahzvk3te9d8q6f0f1v3m2sx`,
  });

export const AnyObject = (options: FieldOptions = {}): PropertyDecorator =>
  field({ type: 'object', additionalProperties: true }, options, [IsObject()]);

export const AnyValue = (options: FieldOptions = {}): PropertyDecorator =>
  field(
    {
      oneOf: [
        ...['string', 'number', 'boolean', 'null'].map((type) => ({ type })),
        { type: 'array', items: {} },
        { type: 'object', additionalProperties: true },
      ],
    },
    options,
    [],
  );

/** An object that another class describes. For responses only, because its fields are not checked. */
export const Nested = (type: Type, options: FieldOptions = {}): PropertyDecorator => field({ type }, options, []);

/** A field with its own OpenAPI schema. It is not validated, except by separate class-validator decorators. */
export const Field = ({ optional, ...schema }: ApiPropertyOptions & { optional?: true }): PropertyDecorator =>
  applyDecorators((optional ? ApiPropertyOptional : ApiProperty)(schema), ...presence(optional, schema.nullable));

function field(schema: ApiPropertyOptions, options: FieldOptions, rules: readonly Rule[]): PropertyDecorator {
  const { optional, nullable, list, least, most, ...rest } = options;
  const all = { ...schema, ...rest, nullable, isArray: list, ...(optional && { required: false }) };
  const described = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return applyDecorators(
    ApiProperty(described),
    ...presence(optional, nullable),
    ...(list ? sizeOf(options) : []),
    ...rules,
  );
}

/** Skips the checks if the field is absent or null. */
function presence(optional: boolean | undefined, nullable: boolean | undefined): Rule[] {
  if (!optional && !nullable) return [];
  return [ValidateIf((_, value) => !(optional && value === undefined) && !(nullable && value === null))];
}

function sizeOf({ minItems, maxItems, least = minItems, most = maxItems }: FieldOptions): Rule[] {
  return [
    IsArray(),
    ...(least === undefined ? [] : [ArrayMinSize(least)]),
    ...(most === undefined ? [] : [ArrayMaxSize(most)]),
  ];
}

function eachOf({ list }: FieldOptions): { each: true } | undefined {
  return list && { each: true };
}

/** The argument of `@Transform`. `value` is a string, or a list of strings if the query parameter is repeated. */
interface Given {
  value: unknown;
}

// If a converter cannot convert a value, it returns the value unchanged. The rule of the field then reports the error.

function wholeNumber({ value }: Given): unknown {
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
}

function flag({ value }: Given): unknown {
  return value === 'true' ? true : value === 'false' ? false : value;
}

/** Converts `a,b`, or the repeated parameters `a` and `b`, to `['a', 'b']`. */
function commaList({ value }: Given): unknown {
  const given = Array.isArray(value) ? value : [value];
  return given.flatMap((text: unknown) => (typeof text === 'string' ? text.split(',') : [text]));
}

function repeated({ value }: Given): unknown {
  return typeof value === 'string' ? [value] : value;
}

function timestamp({ value }: Given): unknown {
  return typeof value === 'string' ? (parseTimestamp(value) ?? value) : value;
}
