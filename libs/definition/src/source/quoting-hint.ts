/** Keys whose values are bare CEL. */
const EXPRESSION_KEY = /(?:^|[\s{,])(when|if|filter|assert|applied_if|until|for_each)\s*:\s*([^\s'"|>&*!][^\n]*)/;
const UNQUOTED_PLACEHOLDER = /(?:^|[\s,:[{])\$\{\{/;
const UNQUOTED_BRACES = /(?:^|[\s,:[{])\{\{/;
/** Characters that mean something else to YAML than to CEL. */
const AMBIGUOUS = /[{}[\],?&*#:]/;

/**
 * What to do about a line of YAML that cannot be read because an expression in it has no quotes; undefined where the line
 * holds none.
 */
export function quotingHint(line: string): string | undefined {
  if (UNQUOTED_PLACEHOLDER.test(line)) return 'Put the expression in quotes: `"${{ … }}"`.';
  if (UNQUOTED_BRACES.test(line)) return 'Write an expression as `"${{ … }}"`, in quotes.';
  const [, key, value = ''] = EXPRESSION_KEY.exec(line) ?? [];
  if (key === undefined || !AMBIGUOUS.test(value)) return undefined;
  return key === 'for_each'
    ? 'Put the expression in quotes: `for_each: "${{ … }}"`.'
    : `Put the expression in quotes: \`${key}: '…'\`.`;
}
