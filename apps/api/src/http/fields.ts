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
 * The fields of requests and responses. Each decorator is the rule that a request must keep and the OpenAPI property in
 * one: what OpenAPI can say (`minLength`, `maximum`, `minItems` …) is documented and checked. In a query the text is
 * converted first.
 */
export interface FieldOptions {
  description?: string;
  example?: unknown;
  default?: unknown;
  /** The field may be absent. In a response: it is absent at times. */
  optional?: true;
  /** The field may be null. */
  nullable?: true;
  /** The field is a list of such values. In a query they are repeated or separated by commas. */
  list?: true;
  minItems?: number;
  maxItems?: number;
  /** As `minItems` and `maxItems`, without a word in the document. */
  least?: number;
  most?: number;
}

interface TextOptions extends FieldOptions {
  minLength?: number;
  maxLength?: number;
  /** As `maxLength`, without a word in the document. */
  longest?: number;
  /** Not in the document; `message` says in words what it asks for. */
  pattern?: RegExp;
  message?: string;
  format?: string;
}

interface WholeOptions extends FieldOptions {
  minimum?: number;
  maximum?: number;
  /** As `maximum`, without a word in the document. */
  highest?: number;
  /** Instead of the usual message, where it is no whole number. */
  message?: string;
}

type Rule = PropertyDecorator;

/** Text. Where a `pattern` is given, it is the rule, and the lengths are for the document only. */
export const Text = (given: TextOptions = {}): PropertyDecorator => {
  const { minLength, maxLength, longest = maxLength, pattern, message, format, ...options } = given;
  const each = eachOf(options);
  const lengths = [
    ...(minLength === undefined ? [] : [MinLength(minLength, each)]),
    ...(longest === undefined ? [] : [MaxLength(longest, each)]),
  ];
  const rules = pattern === undefined ? lengths : [Matches(pattern, { message })];
  return field({ type: String, minLength, maxLength, format }, options, [IsString(each), ...rules]);
};

/** The rule for names: printable, without spaces around them, of at most `maxLength` characters. */
export const printable = (maxLength: number): Required<Pick<TextOptions, 'pattern' | 'message'>> => ({
  pattern: new RegExp(`^(?=\\S)[^\\p{Cc}]{1,${maxLength}}(?<=\\S)$`, 'u'),
  message: `$property must be 1 to ${maxLength} characters, without spaces around it`,
});

/** A name that people give, of 1 to `maxLength` characters. */
export const Name = (options: FieldOptions & { maxLength: number }): PropertyDecorator =>
  Text({ minLength: 1, ...printable(options.maxLength), ...options });

/** A whole number. */
export const Whole = (given: WholeOptions = {}): PropertyDecorator => {
  const { minimum, maximum, highest = maximum, message, ...options } = given;
  return field({ type: 'integer', minimum, maximum }, options, [
    Transform(wholeNumber),
    IsInt(message === undefined ? undefined : { message }),
    ...(minimum === undefined ? [] : [Min(minimum)]),
    ...(highest === undefined ? [] : [Max(highest)]),
  ]);
};

/** `true` or `false`. */
export const Flag = (options: FieldOptions = {}): PropertyDecorator =>
  field({ type: Boolean }, options, [Transform(flag), IsBoolean({ message: '$property must be true or false' })]);

/** One of these words. With `suggests`, for many words, a refusal names the closest one. */
export const OneOf = (
  words: readonly string[],
  { suggests = false, ...options }: FieldOptions & { suggests?: boolean } = {},
): PropertyDecorator =>
  field({ enum: [...words] }, options, [
    ...(options.list ? [Transform(commaList)] : []),
    suggests ? IsOneOf(words) : IsIn(words, eachOf(options)),
  ]);

/** A time in a body or a response: the text of an RFC 3339 date-time. */
export const Timestamp = (options: FieldOptions = {}): PropertyDecorator =>
  field({ type: String, format: 'date-time' }, options, [IsTimestamp()]);

/** A time in a query, which becomes a `Date`. */
export const TimeParameter = (options: FieldOptions = {}): PropertyDecorator => {
  const message = '$property must be an RFC 3339 time such as 2026-01-31T08:00:00Z (a plus sign is written %2B)';
  return field({ type: String, format: 'date-time' }, options, [Transform(timestamp), IsDate({ message })]);
};

/** The id of an agent. A refusal names the id where the name of an agent is given. */
export const AgentId = (options: FieldOptions = {}): PropertyDecorator =>
  field({ type: String }, options, [IsAgentId(options.list ? { each: true } : {})]);

/** What people call resources whose kind has another name. */
const NOUNS: Partial<Record<IdKind, string>> = { apiKey: 'API key', knowledgeBase: 'knowledge base' };

/** The English noun of a kind of resource. */
export function nounOf(kind: IdKind): string {
  return NOUNS[kind] ?? kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** The id of a resource in a response, which is not checked. */
export const Id = (kind: IdKind, options: FieldOptions = {}): PropertyDecorator => {
  const example = `${ID_PREFIXES[kind]}_01kahzvk3te9d8q6f0f1v3m2sx`;
  return field({ type: String }, { description: `Id of the ${nounOf(kind)}.`, example, ...options }, []);
};

/** An object with any members. */
export const AnyObject = (options: FieldOptions = {}): PropertyDecorator =>
  field({ type: 'object', additionalProperties: true }, options, [IsObject()]);

/** What another class describes. Only for responses: nothing of it is checked. */
export const Nested = (type: Type, options: FieldOptions = {}): PropertyDecorator => field({ type }, options, []);

/** A field with an OpenAPI schema of its own. Its rules, if it has some, are decorators of class-validator below it. */
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

/** When a field that is absent or null is not checked. */
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

/** What `@Transform` passes: the text of a query parameter, or the texts where it is given more than once. */
interface Given {
  value: unknown;
}

// Each of these leaves what it cannot convert as it is, so that the rule after it says what is wrong.

/** Decimal digits as a number. */
function wholeNumber({ value }: Given): unknown {
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
}

/** `true` and `false` as booleans. */
function flag({ value }: Given): unknown {
  return value === 'true' ? true : value === 'false' ? false : value;
}

/** `a,b` and `a` given beside `b` both as `['a', 'b']`. */
function commaList({ value }: Given): unknown {
  const given = Array.isArray(value) ? value : [value];
  return given.flatMap((text: unknown) => (typeof text === 'string' ? text.split(',') : [text]));
}

/** An RFC 3339 date-time as a Date. */
function timestamp({ value }: Given): unknown {
  return typeof value === 'string' ? (parseTimestamp(value) ?? value) : value;
}
