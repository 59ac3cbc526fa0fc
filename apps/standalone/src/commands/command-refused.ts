/** Thrown if the command cannot run for a reason that the user can fix. Only the message is shown. */
export class CommandRefused extends Error {
  override readonly name = 'CommandRefused';
}
