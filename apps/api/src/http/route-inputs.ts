import type { Type } from '@nestjs/common';
import { ApiHeader, type ApiHeaderOptions } from '@nestjs/swagger';
import { FEATURE_CONFIGS } from '@app/installation/settings';
import { byteText, type ErrorCode, type IdKind, invariant, type JsonObject } from '@app/kernel';

/**
 * Descriptions of limits that the operator sets. They contain the name and default of the setting, because the OpenAPI
 * document is the same for every installation.
 */
export const LIMIT_WORDS = {
  definition: limitText('MAX_DEFINITION_BYTES'),
  input: limitText('MAX_INPUT_BYTES'),
  upload: limitText('MAX_UPLOAD_BYTES'),
  file: limitText('MAX_FILE_BYTES'),
  idempotency: limitText('IDEMPOTENCY_HOURS'),
  cursor: limitText('CURSOR_HOURS'),
} as const;

/** Returns for example "`MAX_INPUT_BYTES` (default 1 MiB)". */
function limitText(name: string): string {
  const setting = FEATURE_CONFIGS.flatMap(({ settings }) => settings).find((each) => each.name === name);
  invariant(setting, `the setting ${name} is declared`);
  const { defaultText, help } = setting;
  const value = help.unit === 'bytes' ? byteText(Number(defaultText)) : `${defaultText} ${help.unit}`;
  return `\`${name}\` (default ${value})`;
}

export const JSON_BODY_PROBLEMS: readonly ErrorCode[] = ['invalid_json', 'payload_too_large', 'unsupported_media_type'];
export const PAGE_PROBLEMS: readonly ErrorCode[] = ['invalid_cursor', 'cursor_expired', 'cursor_mismatch'];
export const IDEMPOTENCY_PROBLEMS: readonly ErrorCode[] = ['idempotency_key_reused', 'idempotency_in_progress'];

/** The part of a request that a parameter of a handler reads. Guards and the OpenAPI document use it. */
export interface RouteInput {
  /** The parameter reads this part of the request and checks it. */
  reads?: 'body' | 'query';
  ids?: readonly { parameter: string; kind: IdKind }[];
  /** Decorators of @nestjs/swagger that describe this part of the request. */
  parts?: readonly MethodDecorator[];
  /** Schemas of the bodies of these media types, if the body has another form than its JSON. */
  bodies?: Readonly<Record<string, JsonObject>>;
  problems?: readonly ErrorCode[];
  /** The route accepts an `Idempotency-Key`. */
  repeatable?: true;
}

const INPUTS = Symbol('inputs');

/**
 * Applies the decorator `parameter` and records what the handler parameter reads from the request. If `input` is a
 * function, it receives the class of the handler parameter.
 */
export function routeInput(
  parameter: ParameterDecorator,
  input: RouteInput | ((type: Type) => RouteInput),
): ParameterDecorator {
  return (controller, name, index) => {
    const handler: unknown = name === undefined ? undefined : Reflect.get(controller, name);
    if (typeof handler === 'function' && name !== undefined) {
      const types = Reflect.getMetadata('design:paramtypes', controller, name) as readonly Type[] | undefined;
      const described = typeof input === 'function' ? input(types?.[index] ?? Object) : input;
      Reflect.defineMetadata(INPUTS, new Map([...recorded(handler), [index, described]]), handler);
    }
    parameter(controller, name, index);
  };
}

/** Returns the inputs of a handler, in the order of its parameters. */
export function inputsOf(handler: object): RouteInput[] {
  return [...recorded(handler)].sort(([a], [b]) => a - b).map(([, input]) => input);
}

/** Whether a parameter of the handler reads this part of the request. */
export function readsInput(handler: object, part: 'body' | 'query'): boolean {
  return inputsOf(handler).some(({ reads }) => reads === part);
}

function recorded(handler: object): ReadonlyMap<number, RouteInput> {
  return (Reflect.getMetadata(INPUTS, handler) as ReadonlyMap<number, RouteInput> | undefined) ?? new Map();
}

const IDEMPOTENCY_HEADER: ApiHeaderOptions = {
  name: 'Idempotency-Key',
  required: false,
  description: 'Unique key, the same in each retry. Printable ASCII.',
  schema: { type: 'string', minLength: 1, maxLength: 255, example: 'order-1001-refund' },
};

export const REPEATABLE: RouteInput = { repeatable: true, parts: [ApiHeader(IDEMPOTENCY_HEADER)] };
