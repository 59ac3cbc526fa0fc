/** How many sources and grants a base has. */
export interface BaseContents {
  /** Sources by state. A source may be in several. */
  sources: { total: number; syncing: number; failing: number; expired: number };
  /** Readers by type. */
  grants: { users: number; groups: number; channels: number; agents: number };
}

/** The contents of a base that has just been created. */
export const NO_CONTENTS: BaseContents = {
  sources: { total: 0, syncing: 0, failing: 0, expired: 0 },
  grants: { users: 0, groups: 0, channels: 0, agents: 0 },
};
