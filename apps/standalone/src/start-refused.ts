/** Thrown if the start cannot continue for a reason that the user can fix. Only the message is shown. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';
}
