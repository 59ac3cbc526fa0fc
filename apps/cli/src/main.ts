import { EXIT } from './errors/exit-codes.js';
import { runProgram } from './command-program.js';

// A reader such as `head` has read what it wanted.
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? EXIT.done : EXIT.unsuccessful),
);
process.exitCode = await runProgram(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  exit: (code) => process.exit(code),
});
// Open connections must not keep the process alive.
process.stdout.write('', () => process.exit());
