import type { JsonValue } from '@app/kernel';

export interface Dialect {
  readonly name: string;
  /** A higher rank is a newer version. */
  readonly rank: number;
  readonly idKeyword: 'id' | '$id';
  /** Up to draft-07, keywords next to `$ref` have no effect. */
  readonly refStandsAlone: boolean;
}

const DRAFT_04: Dialect = { name: 'draft-04', rank: 4, idKeyword: 'id', refStandsAlone: true };
const DRAFT_06: Dialect = { name: 'draft-06', rank: 6, idKeyword: '$id', refStandsAlone: true };
const DRAFT_07: Dialect = { name: 'draft-07', rank: 7, idKeyword: '$id', refStandsAlone: true };
const VERSION_2019_09: Dialect = { name: '2019-09', rank: 2019, idKeyword: '$id', refStandsAlone: false };

/** The dialect of a schema without `$schema`, and the only dialect in definitions. */
export const VERSION_2020_12: Dialect = { name: '2020-12', rank: 2020, idKeyword: '$id', refStandsAlone: false };

const BY_ADDRESS: ReadonlyMap<string, Dialect> = new Map([
  ['json-schema.org/draft-04/schema', DRAFT_04],
  // Draft-05 changed only the wording of draft-04.
  ['json-schema.org/draft-05/schema', DRAFT_04],
  ['json-schema.org/draft-06/schema', DRAFT_06],
  ['json-schema.org/draft-07/schema', DRAFT_07],
  ['json-schema.org/draft/2019-09/schema', VERSION_2019_09],
  ['json-schema.org/draft/2020-12/schema', VERSION_2020_12],
  ['json-schema.org/schema', VERSION_2020_12],
]);

export function dialectNamed(schema: JsonValue): Dialect | undefined {
  if (typeof schema !== 'string') return undefined;
  if (/^https:\/\/spec\.openapis\.org\/oas\/3\.[1-9]\/dialect\//.test(schema)) return VERSION_2020_12;
  return BY_ADDRESS.get(schema.replace(/^https?:\/\//, '').replace(/#?$/, ''));
}

/** Keywords that not every dialect has, with the rank of the first dialect that has them. */
const SINCE: Readonly<Record<string, number>> = {
  const: 6,
  contains: 6,
  propertyNames: 6,
  if: 7,
  minContains: 2019,
  maxContains: 2019,
  dependentRequired: 2019,
  dependentSchemas: 2019,
  unevaluatedItems: 2019,
  unevaluatedProperties: 2019,
  $anchor: 2019,
  $recursiveRef: 2019,
  prefixItems: 2020,
  $dynamicRef: 2020,
  $dynamicAnchor: 2020,
};

/**
 * Whether the dialect has the keyword. Newer dialects keep the keywords of older ones (`dependencies`, a list as
 * `items`, `additionalItems`), because servers mix dialects and each old keyword has only one possible meaning.
 */
export function hasKeyword(dialect: Dialect, keyword: string): boolean {
  return dialect.rank >= (SINCE[keyword] ?? 0) && (keyword !== '$recursiveRef' || dialect.rank === 2019);
}
