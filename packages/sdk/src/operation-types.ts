import type { operations } from './generated/schema.js';
import type { OPERATIONS } from './generated/operations.js';

/** The method of an operation, `*` if it accepts an idempotency key, and its path with parameters in braces. */
export type Route = keyof typeof OPERATIONS;

export type IdOf<R extends Route> = (typeof OPERATIONS)[R];

export type OperationId = IdOf<Route> & keyof operations;

export type JsonObject = Record<string, unknown>;

type Member<T, Name extends string> = T extends { [Key in Name]?: infer Value } ? NonNullable<Value> : object;
type ParametersOf<Id extends OperationId> = Member<operations[Id], 'parameters'>;
type ContentOf<Part> = Part extends { content: infer Content } ? Content : never;
type JsonOf<Content> = Content extends { 'application/json': infer Json } ? Json : never;
type ResponsesOf<Id extends OperationId> = operations[Id]['responses'];
/** A response without a body has the type `undefined`. */
type ResponseBody<Response> = Response extends { content: infer Content } ? JsonOf<Content> : undefined;

export type PathIds<Id extends OperationId> = Member<ParametersOf<Id>, 'path'>;

export type Query<Id extends OperationId> = Member<ParametersOf<Id>, 'query'>;

export type Body<Id extends OperationId> = JsonOf<ContentOf<Member<operations[Id], 'requestBody'>>>;

export type Answer<Id extends OperationId> = {
  [Status in keyof ResponsesOf<Id>]: ResponseBody<ResponsesOf<Id>[Status]>;
}[keyof ResponsesOf<Id>];

export type ListId = {
  [Id in OperationId]: 'cursor' extends keyof Query<Id> ? Id : never;
}[OperationId];

export type Item<Id extends ListId> = Answer<Id> extends { data: (infer Each)[] } ? Each : never;

export type ListRoute = {
  [R in Route]: IdOf<R> extends ListId ? R : never;
}[Route];
