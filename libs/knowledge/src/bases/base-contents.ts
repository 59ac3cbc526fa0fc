export interface BaseContents {
  /** Number of sources by state. A source may be counted in several states. */
  sources: { total: number; syncing: number; failing: number; expired: number };
  grants: { users: number; groups: number; channels: number; agents: number };
}

export const NO_CONTENTS: BaseContents = {
  sources: { total: 0, syncing: 0, failing: 0, expired: 0 },
  grants: { users: 0, groups: 0, channels: 0, agents: 0 },
};
