export interface BaseContents {
  /** Number of all sources, and of sources in each state. A source may be in several of these states. */
  sources: { total: number; syncing: number; failing: number; expired: number };
  grants: { users: number; groups: number; channels: number; agents: number };
}

export const NO_CONTENTS: BaseContents = {
  sources: { total: 0, syncing: 0, failing: 0, expired: 0 },
  grants: { users: 0, groups: 0, channels: 0, agents: 0 },
};
