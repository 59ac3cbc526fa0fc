/** Filter of the audit log. A field that is not set does not filter. */
export interface AuditFilter {
  /** E-mail address. */
  actor?: string;
  action?: string;
  /** Inclusive. */
  since?: Date;
  /** Exclusive. */
  until?: Date;
}
