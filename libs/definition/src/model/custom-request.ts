import type { Template } from '../expressions/expression.js';

export const BODY_KINDS = ['json', 'form', 'multipart', 'text', 'binary', 'none'] as const;
export type BodyKind = (typeof BODY_KINDS)[number];

export const RESPONSE_KINDS = ['json', 'text', 'binary'] as const;
export type ResponseKind = (typeof RESPONSE_KINDS)[number];

/** A part of a URL or of a path that is computed for each call. */
export interface ComputedPart {
  readonly value: Template;
  /** True if the expression reads a secret. */
  readonly isSecret: boolean;
}

/** A base URL with computed parts. The values are inserted as they are. */
export interface ComputedUrl {
  readonly parts: readonly ({ readonly text: string } | ComputedPart)[];
}

/** The parts of a request that an operation computes, and how it reads the response. */
export interface CustomRequest {
  /** Replaces the query. */
  readonly query: Readonly<Record<string, Template>> | null;
  /** Headers by their name in lower case. */
  readonly headers: Readonly<Record<string, Template>>;
  /** Null: JSON if the method has a body. */
  readonly body: BodyKind | null;
  /** Replaces the body. */
  readonly content: Template | null;
  /** Members of the request that these templates name. They are not sent a second time. */
  readonly named: ReadonlySet<string>;
  /** Null: the content type of the response decides. */
  readonly response: ResponseKind | null;
  /**
   * Statuses other than 2xx that are an answer. With it, the output is always `{status, headers, body}`. Null: no such
   * status, and the output is the body.
   */
  readonly okStatus: readonly number[] | null;
}
