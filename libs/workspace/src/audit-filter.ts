export interface AuditFilter {
  /** E-mail address of the member who did or attempted the action. */
  actor?: string;
  action?: string;
  /** Start of the period, inclusive. */
  since?: Date;
  /** End of the period, exclusive. */
  until?: Date;
}
