import {
  type ArgumentMetadata,
  createParamDecorator,
  type ExecutionContext,
  Param,
  type PipeTransform,
  Query,
  type Type,
} from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiHeader, ApiParam, ApiSchema } from '@nestjs/swagger';
import {
  type DomainError,
  type ExpectedVersions,
  type IdKind,
  invariant,
  isId,
  type JsonObject,
  notFound,
} from '@app/kernel';
import { type IdempotencyClaim, MAX_GRACE_SECONDS, type Principal } from '@app/workspace';
import { MAX_WAIT_SECONDS, readIfMatch, readPreferredWait } from './answers.js';
import { nounOf, Whole } from './fields.js';
import { idempotencyClaim, readIdempotencyKey } from './idempotency-key.js';
import { MAX_JSON, parseJsonObject, readJsonText, readOptionalJson } from './json-body.js';
import { PageQuery } from './list-pages.service.js';
import { readTextBody } from './request-body.js';
import type { ApiRequest } from './request-context.js';
import { knownParameters, type RequestShape, validateRequest } from './request-validation.js';
import { JSON_BODY_PROBLEMS, PAGE_PROBLEMS, REPEATABLE, type RouteInput, routeInput } from './route-inputs.js';

const MAX_NUMBER = 2 ** 31 - 1;
const A_DAY_SECONDS = 24 * 3_600;

/** Resources that a path may identify by their name instead of their id. */
export const NAMED_KINDS = ['agent', 'knowledgeBase'] as const;
export type NamedKind = (typeof NAMED_KINDS)[number];

export function requestOf(context: ExecutionContext): ApiRequest {
  return context.switchToHttp().getRequest<ApiRequest>();
}

/** The principal of the request. Only for routes that require a key or session. */
export const CurrentPrincipal = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const { principal } = requestOf(context);
  invariant(principal, 'a route that uses the principal requires a key');
  return principal;
});

// Decorators for the body of a request.

const currentRequest = createParamDecorator((_: unknown, context: ExecutionContext) => requestOf(context));

/**
 * Injects the request into a handler or pipe that reads the body itself. A pipe can inject the operator's limits, which
 * a decorator cannot. `input` describes the body for the OpenAPI document.
 */
export const CurrentRequest = (
  input: Omit<RouteInput, 'reads'>,
  ...pipes: Parameters<typeof currentRequest>
): ParameterDecorator => routeInput(currentRequest(...pipes), { ...input, reads: 'body' });

function shapeOf({ metatype }: ArgumentMetadata): RequestShape {
  invariant(metatype !== undefined && metatype !== Object, 'a validated parameter is declared with its class');
  return metatype as RequestShape;
}

const bodyPipe: PipeTransform<JsonObject> = {
  transform: (given, metadata) => validateRequest(shapeOf(metadata), given, 'body'),
};

/** Like `bodyPipe`, but drops fields that the class does not declare. */
const knownBodyPipe: PipeTransform<JsonObject> = {
  transform: (given, metadata) => {
    const shape = shapeOf(metadata);
    return validateRequest(shape, knownParameters(shape, given), 'body');
  },
};

const jsonBody = createParamDecorator(async (_: unknown, context: ExecutionContext) =>
  parseJsonObject(await readJsonText(requestOf(context), MAX_JSON)),
);

const optionalJsonBody = createParamDecorator((_: unknown, context: ExecutionContext) =>
  readOptionalJson(requestOf(context)),
);

/** Examples by name, for a body with fields that must not be combined. */
type BodyExamples = Readonly<Record<string, { summary: string; value: JsonObject }>>;

export const jsonInput = (type: Type, required: boolean, examples?: BodyExamples): RouteInput => ({
  reads: 'body',
  parts: [ApiBody({ type, required, ...(examples && { examples }) })],
  problems: JSON_BODY_PROBLEMS,
});

/**
 * Injects the JSON object in the body, validated against the class of the parameter. It is parsed only here, after the
 * key of the request has been checked.
 */
export const JsonBody = (examples?: BodyExamples): ParameterDecorator =>
  routeInput(jsonBody(bodyPipe), (type) => jsonInput(type, true, examples));

/** Like {@link JsonBody}, but ignores unknown fields, because a standard lets clients send more. */
export const KnownJsonBody = (): ParameterDecorator =>
  routeInput(jsonBody(knownBodyPipe), (type) => jsonInput(type, true));

/** Like {@link JsonBody}, but an absent body counts as `{}`. */
export const OptionalJsonBody = (): ParameterDecorator =>
  routeInput(optionalJsonBody(bodyPipe), (type) => jsonInput(type, false));

const FORM = 'application/x-www-form-urlencoded';
const MAX_FORM = 16 * 1024;

const formBody = createParamDecorator(async (_: unknown, context: ExecutionContext) => {
  const { text } = await readTextBody(requestOf(context), { types: [FORM], limit: MAX_FORM });
  return Object.fromEntries(new URLSearchParams(text));
});

/**
 * Injects the fields of the form of a page, validated against the class of the parameter. The fields are not in the
 * OpenAPI document, because only the page sends them.
 */
export const FormBody = (): ParameterDecorator =>
  routeInput(formBody(bodyPipe), {
    reads: 'body',
    parts: [ApiConsumes(FORM), ApiBody({ schema: { type: 'object', additionalProperties: true }, required: true })],
    problems: ['payload_too_large', 'unsupported_media_type'],
  });

// Decorators for the query of a request.

const queryPipe: PipeTransform<object> = {
  transform: (given, metadata) => validateRequest(shapeOf(metadata), given, 'query'),
};

/** Like `queryPipe`, but drops parameters that the class does not declare. */
const knownPipe: PipeTransform<object> = {
  transform: (given, metadata) => {
    const shape = shapeOf(metadata);
    return validateRequest(shape, knownParameters(shape, given), 'query');
  },
};

/** Injects the query parameters, validated against the class of the parameter. */
export const QueryParameters = (): ParameterDecorator =>
  routeInput(Query(queryPipe), (type) => {
    const isPaged = type === PageQuery || type.prototype instanceof PageQuery;
    return { reads: 'query', ...(isPaged && { problems: PAGE_PROBLEMS }) };
  });

/**
 * Like {@link QueryParameters}, but ignores unknown parameters, because webhook senders and OAuth providers may add
 * some.
 */
export const KnownQueryParameters = (): ParameterDecorator => routeInput(Query(knownPipe), { reads: 'query' });

// Decorators for the path of a request.

const pathInput = (name: string, description: string): RouteInput => ({
  parts: [ApiParam({ name, description, schema: { type: 'string' } })],
});

const NOT_FOUND: RouteInput = { problems: ['not_found'] };

function isNamed(kind: IdKind): kind is NamedKind {
  return NAMED_KINDS.some((named) => named === kind);
}

/** A malformed id gets the same error as an unknown id. */
function unknownId(kind: IdKind, id: string): DomainError {
  return notFound(nounOf(kind), id, { givenNames: isNamed(kind) ? [{ kind, name: id, pointer: '' }] : [] });
}

/** @throws DomainError `not_found` also for a malformed id */
export function idInPath({ params }: ApiRequest, parameter: string, kind: IdKind): string {
  const value = params[parameter];
  if (isId(kind, value)) return value;
  throw unknownId(kind, String(value));
}

export const idInput = (parameter: string, kind: IdKind, noun = nounOf(kind)): RouteInput => ({
  ...pathInput(parameter, isNamed(kind) ? 'Id, or `name:<name>`.' : `Id of the ${noun}.`),
  ...NOT_FOUND,
  ids: [{ parameter, kind }],
});

/** An id in the path. A malformed id gets the same error as an unknown id. */
export const PathId = (parameter: string, kind: IdKind, noun?: string): ParameterDecorator => {
  const transform = (value: string): string => {
    if (isId(kind, value)) return value;
    throw unknownId(kind, value);
  };
  return routeInput(Param(parameter, { transform }), idInput(parameter, kind, noun));
};

/** A string in the path. The handler must validate it. */
export const PathText = (parameter: string, description: string): ParameterDecorator =>
  routeInput(Param(parameter), pathInput(parameter, description));

/** A name in the path. A name with a NUL character counts as unknown, because Postgres rejects this character. */
export const PathName = (parameter: string, what: string, description = `Name of the ${what}.`): ParameterDecorator => {
  const transform = (value: string): string => {
    if (value.includes('\0')) throw notFound(what, value);
    return value;
  };
  return routeInput(Param(parameter, { transform }), { ...pathInput(parameter, description), ...NOT_FOUND });
};

export const PathVersion = (parameter: string, description = 'Number of the version, from 1.'): ParameterDecorator =>
  PathNumber(parameter, 'version', description);

/** A whole number from 1 in the path. Any other value gets the same error as an unknown number. */
export const PathNumber = (parameter: string, what: string, description: string): ParameterDecorator => {
  const transform = (value: string): number => {
    const number = /^[1-9]\d{0,9}$/.test(value) ? Number(value) : Infinity;
    if (number > MAX_NUMBER) throw notFound(what, value);
    return number;
  };
  const part = ApiParam({ name: parameter, description, schema: { type: 'integer', minimum: 1 } });
  return routeInput(Param(parameter, { transform }), { ...NOT_FOUND, parts: [part] });
};

// Decorators for the headers of a request.

/**
 * Creates the idempotency claim of a request with this body. Returns undefined if the request has no `Idempotency-Key`.
 */
export type ClaimOf = (body: JsonObject | string) => IdempotencyClaim | undefined;

function claimOf(context: ExecutionContext): ClaimOf {
  const request = requestOf(context);
  const key = readIdempotencyKey(request);
  return (body) => idempotencyClaim(`${request.method} ${request.path}`, key, body);
}

const bodyClaim = createParamDecorator((_: unknown, context: ExecutionContext) => claimOf(context));
const emptyBodyClaim = createParamDecorator((_: unknown, context: ExecutionContext) => claimOf(context)(''));

/**
 * Injects the function {@link ClaimOf} of the request. The handler calls this function with the validated body. A
 * request that omits a default value then has the same claim as a request that sends the value.
 */
export const BodyClaim = (): ParameterDecorator => routeInput(bodyClaim(), REPEATABLE);

/** Injects the claim of a request without a body. */
export const EmptyBodyClaim = (): ParameterDecorator => routeInput(emptyBodyClaim(), REPEATABLE);

@ApiSchema({ description: 'Options of a rotation.' })
class RotationBody {
  @Whole({
    optional: true,
    minimum: 0,
    maximum: MAX_GRACE_SECONDS,
    default: A_DAY_SECONDS,
    description:
      'Seconds for which the previous value stays valid. With 0, all previous values become invalid at once.',
  })
  grace_seconds = A_DAY_SECONDS;
}

export interface Rotation {
  graceSeconds: number;
  claim: IdempotencyClaim | undefined;
}

export const FORMER_STAY_VALID =
  'Values from earlier rotations stay valid until their own grace period ends; at most five are kept.';

const rotation = createParamDecorator(async (_: unknown, context: ExecutionContext): Promise<Rotation> => {
  const { grace_seconds } = validateRequest(RotationBody, await readOptionalJson(requestOf(context)), 'body');
  return { graceSeconds: grace_seconds, claim: claimOf(context)({ grace_seconds }) };
});

/** Injects the options of a rotation in the body, and the idempotency claim of the request. */
export const RotationRequest = (): ParameterDecorator => {
  const body = jsonInput(RotationBody, false);
  return routeInput(rotation(), {
    ...body,
    ...REPEATABLE,
    parts: [...(body.parts ?? []), ...(REPEATABLE.parts ?? [])],
  });
};

const preferWait = createParamDecorator((_: unknown, context: ExecutionContext): number | undefined =>
  readPreferredWait(requestOf(context).headers.prefer),
);

/** Injects the seconds of `Prefer: wait` (RFC 7240), or undefined if the caller does not want to wait. */
export const PreferWait = (description: string): ParameterDecorator => {
  const schema = { type: 'string' as const, example: `wait=${MAX_WAIT_SECONDS}` };
  return routeInput(preferWait(), { parts: [ApiHeader({ name: 'Prefer', required: false, description, schema })] });
};

const ifMatch = createParamDecorator((_: unknown, context: ExecutionContext): ExpectedVersions =>
  readIfMatch(requestOf(context).headers['if-match']),
);

const KNOWN_VERSION =
  '`ETag` that the change is based on. If the resource has changed since then, the call is rejected with 412.';

/** Injects the versions in the `If-Match` header, or undefined if the header is absent or `*`. */
export const IfMatch = (description = KNOWN_VERSION, example = '"3"'): ParameterDecorator => {
  const part = ApiHeader({ name: 'If-Match', required: false, description, schema: { type: 'string', example } });
  return routeInput(ifMatch(), { parts: [part], problems: ['precondition_failed'] });
};
