export interface AuditFilter {
  /** E-mail address of the member who did the action. */
  actor?: string;
  action?: string;
  /** Start of the period, inclusive. */
  since?: Date;
  /** End of the period, exclusive. */
  until?: Date;
}
