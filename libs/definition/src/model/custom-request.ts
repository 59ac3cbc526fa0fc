import type { Template } from '@app/cel';

export const BODY_KINDS = ['json', 'form', 'multipart', 'text', 'binary', 'none'] as const;
export type BodyKind = (typeof BODY_KINDS)[number];

export const RESPONSE_KINDS = ['json', 'text', 'binary', 'file'] as const;
export type ResponseKind = (typeof RESPONSE_KINDS)[number];

export interface ComputedPart {
  readonly value: Template;
  readonly isSecret: boolean;
}

/** A base URL with computed parts. Their values are inserted without encoding. */
export interface ComputedUrl {
  readonly parts: readonly ({ readonly text: string } | ComputedPart)[];
}

/** The parts of a request that an operation computes, and how it reads the response. */
export interface CustomRequest {
  /** The query of the request. If null, the query is built from the properties of the request. */
  readonly query: Readonly<Record<string, Template>> | null;
  readonly headers: Readonly<Record<string, Template>>;
  /**
   * The encoding of the body. If null, a request with `content` or with arguments in the body sends JSON, and any other
   * request sends no body.
   */
  readonly body: BodyKind | null;
  /** The body of the request. If null, the body is built from the properties of the request. */
  readonly content: Template | null;
  /**
   * Properties of the request that the templates of the operation read. Because the templates send them, they are not
   * added to the query or the body.
   */
  readonly named: ReadonlySet<string>;
  /** How the response is read. If null, the content type of the response decides. */
  readonly response: ResponseKind | null;
  /**
   * Statuses other than 2xx with which a call succeeds. If set, the output is always `{status, headers, body}`. If
   * null, the output is the body.
   */
  readonly okStatus: readonly number[] | null;
}
