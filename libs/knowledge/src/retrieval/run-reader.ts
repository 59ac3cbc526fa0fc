/** On whose behalf a run reads (contract, section 9). Everybody that is named has to be granted the base. */
export interface RunReader {
  agentId: string;
  /** The person that started the run; null where none did. */
  email: string | null;
  /** `<type>:<id>` of the channel that started the run; null where none did. */
  channel: string | null;
}
