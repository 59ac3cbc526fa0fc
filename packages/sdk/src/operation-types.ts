import type { operations } from './generated/schema.js';
import type { OPERATIONS } from './generated/operations.js';

export type OperationId = keyof typeof OPERATIONS & keyof operations;

/** A JSON object of any shape. */
export type JsonObject = Record<string, unknown>;

/** Type of the property `Name` of `T`. It is `object` if `T` lacks this property. */
type Member<T, Name extends string> = T extends { [Key in Name]?: infer Value } ? NonNullable<Value> : object;
type ParametersOf<Id extends OperationId> = Member<operations[Id], 'parameters'>;
type ContentOf<Part> = Part extends { content: infer Content } ? Content : never;
type JsonOf<Content> = Content extends { 'application/json': infer Json } ? Json : never;
type ResponsesOf<Id extends OperationId> = operations[Id]['responses'];
/** A response without a body has the type `undefined`. */
type ResponseBody<Response> = Response extends { content: infer Content } ? JsonOf<Content> : undefined;

/** Path parameters of an operation. */
export type PathIds<Id extends OperationId> = Member<ParametersOf<Id>, 'path'>;

/** Query parameters of an operation. */
export type Query<Id extends OperationId> = Member<ParametersOf<Id>, 'query'>;

/** JSON request body of an operation. */
export type Body<Id extends OperationId> = JsonOf<ContentOf<Member<operations[Id], 'requestBody'>>>;

/** Response type of an operation. */
export type Answer<Id extends OperationId> = {
  [Status in keyof ResponsesOf<Id>]: ResponseBody<ResponsesOf<Id>[Status]>;
}[keyof ResponsesOf<Id>];

/** Id of an operation that returns a page of a list. */
export type ListId = {
  [Id in OperationId]: 'cursor' extends keyof Query<Id> ? Id : never;
}[OperationId];

/** The items of a list. */
export type Item<Id extends ListId> = Answer<Id> extends { data: (infer Each)[] } ? Each : never;
