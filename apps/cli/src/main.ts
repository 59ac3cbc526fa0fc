import { EXIT } from './errors/exit-codes.js';
import { runProgram } from './command-program.js';

// A closed pipe is not an error: a program such as `head` closes its input when it has read enough.
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
// Exits after the output is flushed, because open connections would keep the process alive.
process.stdout.write('', () => process.exit());
