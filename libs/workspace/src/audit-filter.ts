/** Filter of the audit log; an absent member does not filter. */
export interface AuditFilter {
  /** E-mail address. */
  actor?: string;
  action?: string;
  /** Inclusive. */
  since?: Date;
  /** Exclusive. */
  until?: Date;
}
