/** Made by apps/error-remedies.mjs. */
declare module 'virtual:error-remedies' {
  /** What to do, by error code. A text may contain code between backticks. */
  export const remedies: Readonly<Record<string, string>>;
}
