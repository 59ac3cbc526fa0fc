/** The installation is configured wrongly. `message` has one line per mistake, written for the operator; a start command prints it as it is. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}
