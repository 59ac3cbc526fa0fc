/** A mistake in the configuration. `message` has one line per mistake; a start command prints it unchanged. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}
