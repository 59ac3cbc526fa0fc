/** The command cannot be done, for a reason that a person can remove; the message is all there is to show. */
export class CommandRefused extends Error {
  override readonly name = 'CommandRefused';
}
