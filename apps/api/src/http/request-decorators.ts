import {
  type ArgumentMetadata,
  createParamDecorator,
  type ExecutionContext,
  Param,
  type PipeTransform,
  Query,
  type Type,
} from '@nestjs/common';
import { ApiBody, ApiHeader, ApiParam, ApiSchema } from '@nestjs/swagger';
import {
  type DomainError,
  type ExpectedVersions,
  type IdKind,
  invariant,
  isId,
  type JsonObject,
  notFound,
} from '@app/kernel';
import { type IdempotencyClaim, LONGEST_GRACE_SECONDS, type Principal } from '@app/workspace';
import { readIfMatch } from './answers.js';
import { nounOf, Whole } from './fields.js';
import { idempotencyClaim, readIdempotencyKey } from './idempotency-key.js';
import { parseJsonObject, readJsonText } from './json-body.js';
import { PageQuery } from './list-pages.service.js';
import type { ApiRequest } from './request-context.js';
import { knownParameters, type RequestShape, validateRequest } from './request-validation.js';
import { JSON_BODY_PROBLEMS, PAGE_PROBLEMS, REPEATABLE, type RouteInput, routeInput } from './route-inputs.js';

/** Bytes of a JSON body. */
export const LARGEST_JSON = 1024 * 1024;
const LARGEST_VERSION = 2 ** 31 - 1;
const A_DAY_SECONDS = 24 * 3_600;

export function requestOf(context: ExecutionContext): ApiRequest {
  return context.switchToHttp().getRequest<ApiRequest>();
}

/** On whose behalf the request acts. Only for routes that ask for a key. */
export const CurrentPrincipal = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const { principal } = requestOf(context);
  invariant(principal, 'a route that uses the principal requires a key');
  return principal;
});

// ---- bodies
// -------------------------------------------------------------------------------------------------------------

const currentRequest = createParamDecorator((_: unknown, context: ExecutionContext) => requestOf(context));

/**
 * The request itself, for a handler that reads its body, or for a pipe that reads its body within a limit that the
 * operator sets: pipes are injected, decorators are not. `input` describes the body.
 */
export const CurrentRequest = (
  input: Omit<RouteInput, 'reads'>,
  ...pipes: Parameters<typeof currentRequest>
): ParameterDecorator => routeInput(currentRequest(...pipes), { ...input, reads: 'body' });

function shapeOf({ metatype }: ArgumentMetadata): RequestShape {
  invariant(metatype !== undefined && metatype !== Object, 'a validated parameter is declared with its class');
  return metatype as RequestShape;
}

/** Checks a JSON object against the class that the parameter is declared with. */
const bodyPipe: PipeTransform<JsonObject> = {
  transform: (given, metadata) => validateRequest(shapeOf(metadata), given, 'body'),
};

const jsonBody = createParamDecorator(async (_: unknown, context: ExecutionContext) =>
  parseJsonObject(await readJsonText(requestOf(context), LARGEST_JSON)),
);

const optionalJsonBody = createParamDecorator((_: unknown, context: ExecutionContext) => readOptionalBody(context));

async function readOptionalBody(context: ExecutionContext): Promise<JsonObject> {
  const text = await readJsonText(requestOf(context), LARGEST_JSON);
  return text.trim() === '' ? {} : parseJsonObject(text);
}

/** A body of JSON, as the class describes it. */
export const jsonInput = (type: Type, required: boolean): RouteInput => ({
  reads: 'body',
  parts: [ApiBody({ type, required })],
  problems: JSON_BODY_PROBLEMS,
});

/**
 * The JSON object in the body, validated against the parameter's class. It is read here and not before, so nothing of a
 * request is parsed until its key has been checked.
 */
export const JsonBody = (): ParameterDecorator => routeInput(jsonBody(bodyPipe), (type) => jsonInput(type, true));

/** {@link JsonBody} where sending no body at all means the same as sending `{}`. */
export const OptionalJsonBody = (): ParameterDecorator =>
  routeInput(optionalJsonBody(bodyPipe), (type) => jsonInput(type, false));

// ---- queries
// ------------------------------------------------------------------------------------------------------------

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

/** The query parameters, validated against the parameter's class. */
export const QueryParameters = (): ParameterDecorator =>
  routeInput(Query(queryPipe), (type) => {
    const isPaged = type === PageQuery || type.prototype instanceof PageQuery;
    return { reads: 'query', ...(isPaged && { problems: PAGE_PROBLEMS }) };
  });

/**
 * As {@link QueryParameters}, for senders that add parameters of their own, which are ignored: webhooks and OAuth
 * providers.
 */
export const KnownQueryParameters = (): ParameterDecorator => routeInput(Query(knownPipe), { reads: 'query' });

// ---- paths
// --------------------------------------------------------------------------------------------------------------

/** A part of the path that is described like this. */
const pathInput = (name: string, description: string): RouteInput => ({
  parts: [ApiParam({ name, description, schema: { type: 'string' } })],
});

const NOT_FOUND: RouteInput = { problems: ['not_found'] };

/** The refusal of a malformed id, which reads like that of an unknown one. */
function unknownId(kind: IdKind, id: string): DomainError {
  const isNamed = kind === 'agent' || kind === 'knowledgeBase';
  return notFound(nounOf(kind), id, { givenNames: isNamed ? [{ kind, name: id, pointer: '' }] : [] });
}

/** The id at this place of the path. @throws DomainError `not_found` for a malformed one */
export function idInPath({ params }: ApiRequest, parameter: string, kind: IdKind): string {
  const value = params[parameter];
  if (isId(kind, value)) return value;
  throw unknownId(kind, String(value));
}

/** What a path with such an id takes. */
export const idInput = (parameter: string, kind: IdKind, noun = nounOf(kind)): RouteInput => ({
  ...pathInput(parameter, `Id of the ${noun}.`),
  ...NOT_FOUND,
});

/** An id in the path. A malformed one is answered like an unknown one. */
export const PathId = (parameter: string, kind: IdKind, noun?: string): ParameterDecorator => {
  const transform = (value: string): string => {
    if (isId(kind, value)) return value;
    throw unknownId(kind, value);
  };
  return routeInput(Param(parameter, { transform }), idInput(parameter, kind, noun));
};

/** A text in the path that the service behind the route checks. */
export const PathText = (parameter: string, description: string): ParameterDecorator =>
  routeInput(Param(parameter), pathInput(parameter, description));

/**
 * A name in the path that people gave. One with a NUL character, which Postgres refuses to compare with, is an unknown
 * one.
 */
export const PathName = (parameter: string, what: string, description = `Name of the ${what}.`): ParameterDecorator => {
  const transform = (value: string): string => {
    if (value.includes('\0')) throw notFound(what, value);
    return value;
  };
  return routeInput(Param(parameter, { transform }), { ...pathInput(parameter, description), ...NOT_FOUND });
};

/** The number of a version in the path. Anything but a positive whole number is an unknown version. */
export const PathVersion = (parameter: string, description = 'Number of the version, from 1.'): ParameterDecorator => {
  const transform = (value: string): number => {
    const version = /^[1-9]\d{0,9}$/.test(value) ? Number(value) : Infinity;
    if (version > LARGEST_VERSION) throw notFound('version', value);
    return version;
  };
  const part = ApiParam({ name: parameter, description, schema: { type: 'integer', minimum: 1 } });
  return routeInput(Param(parameter, { transform }), { ...NOT_FOUND, parts: [part] });
};

// ---- headers
// ------------------------------------------------------------------------------------------------------------

/** Makes the claim of a request with this body; undefined where the request has no `Idempotency-Key`. */
export type ClaimOf = (body: JsonObject | string) => IdempotencyClaim | undefined;

function claimOf(context: ExecutionContext): ClaimOf {
  const request = requestOf(context);
  const key = readIdempotencyKey(request);
  return (body) => idempotencyClaim(`${request.method} ${request.path}`, key, body);
}

const bodyClaim = createParamDecorator((_: unknown, context: ExecutionContext) => claimOf(context));
const emptyBodyClaim = createParamDecorator((_: unknown, context: ExecutionContext) => claimOf(context)(''));

/**
 * Makes the claim of a request from its validated body. A body that leaves out a default must be equal to one that
 * gives it.
 */
export const BodyClaim = (): ParameterDecorator => routeInput(bodyClaim(), REPEATABLE);

/** The claim of a request that says everything by its address. */
export const EmptyBodyClaim = (): ParameterDecorator => routeInput(emptyBodyClaim(), REPEATABLE);

/** What every rotation takes, of a key or of a secret. */
@ApiSchema({ description: 'Options of a rotation.' })
class RotationBody {
  @Whole({
    optional: true,
    minimum: 0,
    maximum: LONGEST_GRACE_SECONDS,
    default: A_DAY_SECONDS,
    description: 'Seconds that the previous value stays valid. 0 ends all previous values at once.',
  })
  grace_seconds = A_DAY_SECONDS;
}

/** The rotation of a key or a secret that a request asks for. */
export interface Rotation {
  graceSeconds: number;
  claim: IdempotencyClaim | undefined;
}

/** How long the values from earlier rotations stay valid. */
export const FORMER_STAY_VALID =
  'Values from earlier rotations stay valid until their own time is over; at most five are kept. `grace_seconds: 0` ends all of them.';

const rotation = createParamDecorator(async (_: unknown, context: ExecutionContext): Promise<Rotation> => {
  const { grace_seconds } = validateRequest(RotationBody, await readOptionalBody(context), 'body');
  return { graceSeconds: grace_seconds, claim: claimOf(context)({ grace_seconds }) };
});

/** The rotation in the body of a request together with its `Idempotency-Key`. */
export const RotationRequest = (): ParameterDecorator => {
  const body = jsonInput(RotationBody, false);
  return routeInput(rotation(), {
    ...body,
    ...REPEATABLE,
    parts: [...(body.parts ?? []), ...(REPEATABLE.parts ?? [])],
  });
};

const ifMatch = createParamDecorator((_: unknown, context: ExecutionContext): ExpectedVersions =>
  readIfMatch(requestOf(context).headers['if-match']),
);

const KNOWN_VERSION =
  '`ETag` of the resource that the change was made from. If the resource has changed since, the call is refused with 412.';

/** The versions that the request's change was made from, from its `If-Match` header. */
export const IfMatch = (description = KNOWN_VERSION, example = '"3"'): ParameterDecorator => {
  const part = ApiHeader({ name: 'If-Match', required: false, description, schema: { type: 'string', example } });
  return routeInput(ifMatch(), { parts: [part], problems: ['precondition_failed'] });
};
