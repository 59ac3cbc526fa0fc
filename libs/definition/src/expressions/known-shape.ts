import type { JsonObject } from '@app/kernel';
import type { CelType } from './cel-types.js';

/** What is known, when a definition is created, about the values that a name will have. */
export interface KnownShape {
  readonly type: CelType;
  /** The schema that the type was read from, where there is one. */
  readonly schema?: JsonObject;
  /** Who says so: "The input schema". */
  readonly owner: string;
}

/** The fields of a place, for messages. */
export interface KnownFields {
  readonly fields: readonly string[];
  /** "The input schema of `input.who`". */
  readonly owner: string;
}
