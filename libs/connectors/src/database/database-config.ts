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
      dsn: { ...SECRET_REFERENCE, title: 'Connection', description: 'Secret with the URL of the database.' },
      query: {
        type: 'string',
        minLength: 1,
        maxLength: 20_000,
        title: 'Query',
        description: 'One SELECT statement. Each row becomes a document.',
      },
      key_column: {
        ...COLUMN,
        title: 'Key column',
        description: 'Column whose value identifies a row, for example id.',
      },
      title_column: { ...OPTIONAL_COLUMN, title: 'Title column' },
      text_columns: {
        type: 'array',
        maxItems: 100,
        default: [],
        items: COLUMN,
        title: 'Text columns',
        description: 'Columns that searches find. If empty, all other columns.',
      },
      url_column: { ...OPTIONAL_COLUMN, title: 'Link column' },
      updated_at_column: {
        ...OPTIONAL_COLUMN,
        title: 'Time column',
        description: 'Time of the last change. Rows with an unchanged value are not read again.',
      },
    },
  },
  check: checkDatabase,
};

function checkDatabase(config: DatabaseConfig, at: string): void {
  const detail = selectProblem(config.query);
  if (detail !== undefined) throw invalidRequest([{ pointer: `${at}/query`, detail }]);
}
