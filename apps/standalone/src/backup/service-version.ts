/** The version of package.json, which a test compares. */
export const SERVICE_VERSION = '0.1.0';
