/**
 * `npm run bench:partitioning`: prepares the checkout, and then simulates an installation whose workspaces are spread
 * over several Postgres servers. The simulation is pure computation and takes seconds. It uses the costs that
 * `npm run bench` has measured, which are in `partitioning/measured-costs.ts`.
 */
import './prepared.mjs';

// The import of prepared.mjs ensures that the simulation in `dist` is up to date.
await import('../../dist/test/bench/partitioning/main.js');
