/** Asks the keeper of this jest run. The operations and their parameters are those of `stack-keeper.mjs`. */
export async function keeper<Result = void>(operation: string, key: string, parameters: object = {}): Promise<Result> {
  const address = process.env.TEST_STACK_KEEPER;
  if (!address) throw new Error('There is no keeper: jest has to run the global setup of test/support.');
  const response = await fetch(address, { method: 'POST', body: JSON.stringify([operation, key, parameters]) });
  const text = await response.text();
  if (!response.ok) throw new Error(`The keeper answered ${response.status}: ${text}`);
  return JSON.parse(text) as Result;
}
