/** Made by apps/expression-functions.mjs. */
declare module 'virtual:expression-functions' {
  /** The functions of expressions, one entry for each row of the tables in docs/expressions.md. */
  export const functions: readonly { forms: readonly string[]; does: string; example: string; gives: string }[];
}
