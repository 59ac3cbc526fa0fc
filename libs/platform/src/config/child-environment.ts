import type { EnvironmentSource } from './environment-reader.js';

/**
 * The environment for a child process: this one's with `overrides` on top; an undefined override removes the variable.
 */
export function childEnvironment(overrides: EnvironmentSource = {}): NodeJS.ProcessEnv {
  const merged = Object.entries({ ...process.env, ...overrides });
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined));
}

/** The environment for a process that reads hostile data: the time zone and the certificates, and no secret. */
export function isolatedEnvironment(): NodeJS.ProcessEnv {
  const names = ['TZ', 'NODE_EXTRA_CA_CERTS', 'NODE_USE_SYSTEM_CA', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'TMPDIR'];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}
