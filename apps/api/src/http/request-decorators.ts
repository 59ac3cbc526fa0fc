import {
  type ArgumentMetadata,
  createParamDecorator,
  type ExecutionContext,
  Param,
  type PipeTransform,
  Query,
} from '@nestjs/common';
import { type DomainError, type IdKind, invariant, isId, type JsonObject, notFound } from '@app/kernel';
import type { IdempotencyClaim, Principal } from '@app/workspace';
import type { ApiRequest } from './api-request.js';
import { DefinitionBodyPipe, StoredDefinitionPipe } from './definition-body.js';
import { idempotencyClaim, readIdempotencyKey } from './idempotency-key.js';
import { parseJsonObject, readJsonText } from './json-body.js';
import { RotationBody } from './rotation.dto.js';
import { knownParameters, type RequestShape, validateRequest } from './request-validation.js';
import { readingBody } from './unread-body.guard.js';
import { readingQuery } from './unread-query.guard.js';

/** Bytes of a JSON body. */
export const LARGEST_JSON = 1024 * 1024;
const LARGEST_VERSION = 2 ** 31 - 1;

function requestOf(context: ExecutionContext): ApiRequest {
  return context.switchToHttp().getRequest<ApiRequest>();
}

function shapeOf({ metatype }: ArgumentMetadata): RequestShape {
  invariant(metatype !== undefined && metatype !== Object, 'a validated parameter is declared with its class');
  return metatype as RequestShape;
}

const currentRequest = createParamDecorator((_: unknown, context: ExecutionContext) => requestOf(context));

/** The request itself, for a handler that reads its body, or for a pipe that reads its body within a limit that the operator sets: pipes are injected, decorators are not. */
export const CurrentRequest = (...pipes: Parameters<typeof currentRequest>): ParameterDecorator =>
  readingBody(currentRequest(...pipes));

/** Checks a JSON object against the class that the parameter is declared with. */
const bodyPipe: PipeTransform<JsonObject> = {
  transform: (given, metadata) => validateRequest(shapeOf(metadata), given, 'body'),
};

/** Checks the query parameters against the class that the parameter is declared with. */
const queryPipe: PipeTransform<object> = {
  transform: (given, metadata) => validateRequest(shapeOf(metadata), given, 'query'),
};

/** Checks the query parameters that the class knows, and drops the others. */
const knownPipe: PipeTransform<object> = {
  transform: (given, metadata) => {
    const shape = shapeOf(metadata);
    return validateRequest(shape, knownParameters(shape, given), 'query');
  },
};

const jsonBody = createParamDecorator(async (_: unknown, context: ExecutionContext) =>
  parseJsonObject(await readJsonText(requestOf(context), LARGEST_JSON)),
);

const optionalJsonBody = createParamDecorator((_: unknown, context: ExecutionContext) => readOptionalBody(context));

async function readOptionalBody(context: ExecutionContext): Promise<JsonObject> {
  const text = await readJsonText(requestOf(context), LARGEST_JSON);
  return text.trim() === '' ? {} : parseJsonObject(text);
}

/**
 * The JSON object in the body, validated against the parameter's class. It is read here and not before, so nothing of a
 * request is parsed until its key has been checked.
 */
export const JsonBody = (): ParameterDecorator => readingBody(jsonBody(bodyPipe));

/** {@link JsonBody} where sending no body at all means the same as sending `{}`. */
export const OptionalJsonBody = (): ParameterDecorator => readingBody(optionalJsonBody(bodyPipe));

/** The agent definition in the body: its original text and whether it was sent as YAML or as JSON. */
export const DefinitionBody = (): ParameterDecorator => CurrentRequest(DefinitionBodyPipe);

/** The agent definition in the body together with the request's `Idempotency-Key`. */
export const StoredDefinition = (): ParameterDecorator => CurrentRequest(StoredDefinitionPipe);

/** The query parameters, validated against the parameter's class. */
export const QueryParameters = (): ParameterDecorator => readingQuery(Query(queryPipe));

/** As {@link QueryParameters}, for senders that add parameters of their own, which are ignored: webhooks and OAuth providers. */
export const KnownQueryParameters = (): ParameterDecorator => readingQuery(Query(knownPipe));

/** The refusal of a malformed id, which reads like that of an unknown one. */
export function unknownId(kind: IdKind, id: string): DomainError {
  const what = kind === 'apiKey' ? 'key' : kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const isNamed = kind === 'agent' || kind === 'knowledgeBase';
  return notFound(what, id, { givenNames: isNamed ? [{ kind, name: id, pointer: '' }] : [] });
}

/** An id in the path. A malformed one is answered like an unknown one. */
export const PathId = (parameter: string, kind: IdKind): ParameterDecorator =>
  Param(parameter, {
    transform: (value: string) => {
      if (isId(kind, value)) return value;
      throw unknownId(kind, value);
    },
  });

/** A name in the path that people gave. One with a NUL character, which Postgres refuses to compare with, is an unknown one. */
export const PathName = (parameter: string, what: string): ParameterDecorator =>
  Param(parameter, {
    transform: (value: string) => {
      if (value.includes('\0')) throw notFound(what, value);
      return value;
    },
  });

/** The number of a version in the path. Anything but a positive whole number is an unknown version. */
export const PathVersion = (parameter: string): ParameterDecorator =>
  Param(parameter, {
    transform: (value: string) => {
      const version = /^[1-9]\d{0,9}$/.test(value) ? Number(value) : Infinity;
      if (version > LARGEST_VERSION) throw notFound('version', value);
      return version;
    },
  });

/** The `Idempotency-Key` header, or undefined where there is none. */
export const IdempotencyKey = createParamDecorator((_: unknown, context: ExecutionContext) =>
  readIdempotencyKey(requestOf(context)),
);

/** The claim of a request that says everything by its address. */
export const EmptyBodyClaim = createParamDecorator((_: unknown, context: ExecutionContext) => claimOf(context)(''));

/** The claim of a request with this body; undefined where the request has no `Idempotency-Key`. */
export type ClaimOf = (body: JsonObject | string) => IdempotencyClaim | undefined;

/** Makes the claim of a request from its validated body. A body that leaves out a default must be equal to one that gives it. */
export const BodyClaim = createParamDecorator((_: unknown, context: ExecutionContext): ClaimOf => claimOf(context));

function claimOf(context: ExecutionContext): ClaimOf {
  const request = requestOf(context);
  const key = readIdempotencyKey(request);
  return (body) => idempotencyClaim(`${request.method} ${request.path}`, key, body);
}

/** The rotation of a key or a secret that a request asks for. */
export interface Rotation {
  graceSeconds: number;
  claim: IdempotencyClaim | undefined;
}

const rotation = createParamDecorator(async (_: unknown, context: ExecutionContext): Promise<Rotation> => {
  const { grace_seconds } = validateRequest(RotationBody, await readOptionalBody(context), 'body');
  return { graceSeconds: grace_seconds, claim: claimOf(context)({ grace_seconds }) };
});

/** The {@link RotationBody} of a request together with its `Idempotency-Key`. */
export const RotationRequest = (): ParameterDecorator => readingBody(rotation());

/** On whose behalf the request acts. Only for routes that ask for a key. */
export const CurrentPrincipal = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const { principal } = requestOf(context);
  invariant(principal, 'a route that uses the principal requires a key');
  return principal;
});
