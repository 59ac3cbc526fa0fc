/**
 * Thrown if a start, a command, a backup or a restore cannot continue for a reason that the operator can fix. Only the
 * message is shown.
 */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}
