/** Share of a server's limits that a load needs: of its cores, and of its WAL. Both are for the same rate of runs. */
export type Demand = readonly [cores: number, wal: number];

/**
 * Returns the share of all runs that each workspace has, largest first. The workspace with rank n has a share
 * proportional to 1 / n ^ exponent (Zipf's law).
 */
export function zipfShares(count: number, exponent: number): number[] {
  const weights = Array.from({ length: count }, (_, n) => 1 / (n + 1) ** exponent);
  const total = weights.reduce((sum, each) => sum + each, 0);
  return weights.map((each) => each / total);
}

/**
 * Load of workspaces whose ranks change from week to week, while the distribution of the load stays the same. A
 * workspace rises or falls by up to a tenth of its load in most weeks (standard deviation).
 */
export class ChangingLoads {
  private readonly scores: number[];

  /** `shares` are in descending order. `random` returns numbers from 0 to 1. */
  constructor(
    private readonly shares: readonly number[],
    private readonly random: () => number,
  ) {
    this.scores = shares.map((share) => Math.log(share));
    shuffle(this.scores, random);
  }

  /** Returns the current share of each workspace. The position of a workspace never changes. */
  current(): number[] {
    const byScore = this.scores.map((_, n) => n).sort((a, b) => this.scores[b]! - this.scores[a]!);
    const current = new Array<number>(this.scores.length);
    for (const [rank, workspace] of byScore.entries()) current[workspace] = this.shares[rank]!;
    return current;
  }

  nextWeek(): void {
    for (const n of this.scores.keys()) this.scores[n]! += WEEKLY_CHANGE * normal(this.random);
  }
}

/** Standard deviation of the change of a workspace's load in one week, as a natural logarithm. */
const WEEKLY_CHANGE = 0.1;

function shuffle(values: number[], random: () => number): void {
  for (let n = values.length - 1; n > 0; n--) {
    const other = Math.floor(random() * (n + 1));
    [values[n], values[other]] = [values[other]!, values[n]!];
  }
}

/** Returns a number with the standard normal distribution (Box and Muller). */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
