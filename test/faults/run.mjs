/**
 * Runs the fault tests of one tier. `smoke` takes at most 90 seconds and is part of `npm test`. `full` takes at most
 * fifteen minutes, does not include the smoke tier, and runs the tests of hostile peers with all their seeds.
 * `soak [minutes]` injects random faults, by default for 60 minutes.
 * Further arguments go to jest. `FAULT_SEED=<n>` repeats the random choices of an earlier run.
 */
const [tier = 'smoke', ...rest] = process.argv.slice(2);
const SELECTED = { smoke: 'faults', full: 'faults-full', soak: 'faults-soak' };

if (!(tier in SELECTED)) {
  process.stderr.write('The tiers are smoke, full and soak.\n');
  process.exit(2);
}
if (tier !== 'smoke') process.env.FAULT_TIER = tier;
if (tier === 'soak' && /^\d+(\.\d+)?$/.test(rest[0] ?? '')) process.env.FAULT_SOAK_MINUTES = rest.shift();
// The tiers `full` and `soak` measure recovery times, so their test files run one after the other.
const oneByOne = tier === 'smoke' ? [] : ['--runInBand'];
process.argv.splice(2, Infinity, '--selectProjects', SELECTED[tier], ...oneByOne, ...rest);
await import('../run.mjs');
