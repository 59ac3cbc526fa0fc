import { sqlTexts } from './sql-ownership.mjs';

/**
 * SQL functions whose cost grows with the square of the number of strings, members or items in a value. The two
 * aggregates copy each string with `snprintf`, which reads the rest of the value. A long call of them also ignores
 * `statement_timeout` and `pg_cancel_backend`, so an emergency stop would have to wait for it.
 */
const QUADRATIC = /\b(jsonb_agg|jsonb_object_agg|jsonb_path_query)(?=\w*\s*\()/gi;

/**
 * @param {readonly {path: string, text: string}[]} files product files without tests
 * @returns {string[]} one line for each file and function, for example `libs/x/a.sql calls jsonb_agg`. Instead of
 * `jsonb_agg(x)`, use `to_jsonb(array(select x))`. Instead of `jsonb_object_agg(k, v)`, use `json_object_agg(k, v)`.
 */
export function quadraticSql(files) {
  const found = files.flatMap(({ path, text }) =>
    sqlTexts(path, text).flatMap((sql) =>
      [...sql.matchAll(QUADRATIC)].map(([name]) => `${path} calls ${name.toLowerCase()}`),
    ),
  );
  return [...new Set(found)].sort();
}
