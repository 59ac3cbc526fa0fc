import { invalidRequest } from '@app/platform/json-shape';
import type { ConfigRules } from '../contract/connector.js';
import { SECRET_REFERENCE } from '../contract/secret-references.js';
import { selectProblem } from './source-query.js';

/** Each row of the query is a document. */
export type DatabaseConfig = {
  dsn: string;
  /** It runs read-only. */
  query: string;
  key_column: string;
  title_column: string | null;
  /** If the list is empty, all columns except those for key, title, URL and time are indexed. */
  text_columns: string[];
  url_column: string | null;
  /** Rows with an unchanged value are not read again. */
  updated_at_column: string | null;
};

const COLUMN = { type: 'string', minLength: 1, maxLength: 63, pattern: '^[^\\u0000"`]+$' };
const OPTIONAL_COLUMN = { ...COLUMN, type: ['string', 'null'], default: null };

export const DATABASE_CONFIG: ConfigRules<DatabaseConfig> = {
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['dsn', 'query', 'key_column'],
    properties: {
      dsn: SECRET_REFERENCE,
      query: { type: 'string', minLength: 1, maxLength: 20_000 },
      key_column: COLUMN,
      title_column: OPTIONAL_COLUMN,
      text_columns: { type: 'array', maxItems: 100, default: [], items: COLUMN },
      url_column: OPTIONAL_COLUMN,
      updated_at_column: OPTIONAL_COLUMN,
    },
  },
  check: checkDatabase,
};

function checkDatabase(config: DatabaseConfig, at: string): void {
  const detail = selectProblem(config.query);
  if (detail !== undefined) throw invalidRequest([{ pointer: `${at}/query`, detail }]);
}
