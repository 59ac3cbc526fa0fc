/** Thrown if a backup cannot be made or restored for a reason that the user can fix. Only the message is shown. */
export class BackupRefused extends Error {
  override readonly name = 'BackupRefused';
}
