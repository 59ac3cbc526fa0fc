/** The start cannot go on, for a reason that a person can remove; the message is all there is to show. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';
}
