/** The API maps it to an HTTP status. The worker uses it to decide whether to retry. */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'conflict'
  | 'gone'
  | 'precondition_failed'
  | 'too_large'
  | 'range_not_satisfiable'
  | 'unsupported_media_type'
  | 'unprocessable'
  | 'limited'
  | 'failed'
  | 'internal'
  | 'unavailable';

/** `docs/errors.md` lists them. */
export const ERROR_CODES = {
  invalid_request: {
    kind: 'invalid',
    title: 'The request is not valid',
    remedy: 'Correct the places that `errors` lists.',
  },
  invalid_json: { kind: 'invalid', title: 'The body is not valid JSON', remedy: 'Send a body that is valid JSON.' },
  invalid_yaml: {
    kind: 'invalid',
    title: 'The body is not valid YAML',
    remedy: 'Correct the YAML at the line that `errors` names.',
  },
  invalid_cursor: {
    kind: 'invalid',
    title: 'The cursor is not valid',
    remedy: 'Use `next_cursor` of the previous page unchanged.',
  },
  cursor_expired: {
    kind: 'invalid',
    title: 'The cursor has expired',
    remedy: 'Read the list again from its first page.',
  },
  cursor_mismatch: {
    kind: 'invalid',
    title: 'The cursor belongs to another list',
    remedy: 'Use a cursor only with the list and the filters that returned it.',
  },
  missing_api_key: {
    kind: 'unauthenticated',
    title: 'An API key is required',
    remedy: 'Send `Authorization: Bearer <API key>`.',
  },
  invalid_api_key: {
    kind: 'unauthenticated',
    title: 'The API key is not valid',
    remedy: 'Check the key. If it was revoked, create a new key.',
  },
  expired_api_key: {
    kind: 'unauthenticated',
    title: 'The API key has expired',
    remedy: 'Create a new key. If the key was rotated, use its new value.',
  },
  invalid_session: { kind: 'unauthenticated', title: 'The session is not valid', remedy: 'Sign in again.' },
  invalid_sign_in: {
    kind: 'unauthenticated',
    title: 'The sign-in was rejected',
    remedy: 'Check the code or the key, or request a new link. Each link and code can be used once.',
  },
  invalid_webhook_secret: {
    kind: 'unauthenticated',
    title: 'The webhook secret is not valid',
    remedy: 'Send the current secret of the webhook trigger.',
  },
  insufficient_scope: {
    kind: 'forbidden',
    title: 'The API key lacks a scope',
    remedy: 'Use a key that has the scope named in `detail`.',
  },
  cross_site: {
    kind: 'forbidden',
    title: 'The request comes from another site',
    remedy: 'Send the request from the console, or use an API key.',
  },
  https_required: {
    kind: 'forbidden',
    title: 'Sign-in requires HTTPS',
    remedy: 'Set PUBLIC_URL to an https address, or INSECURE_COOKIES=true in a network that you trust.',
  },
  sign_in_again: {
    kind: 'forbidden',
    title: 'A recent sign-in is required',
    remedy: 'Sign in again and repeat the request within ten minutes.',
  },
  wrong_session: {
    kind: 'forbidden',
    title: 'Another member is signed in',
    remedy: 'Sign out in this browser, or open the link in a private window.',
  },
  sign_in_off: {
    kind: 'forbidden',
    title: 'The sign-in method is disabled',
    remedy: 'Use a method that `GET /auth/methods` lists.',
  },
  not_invited: {
    kind: 'forbidden',
    title: 'You are not a member of a workspace',
    remedy:
      'Ask an admin of the workspace to add your e-mail address. The identity provider must have verified this address.',
  },
  admin_required: {
    kind: 'forbidden',
    title: 'An admin is required',
    remedy: 'Ask an admin of the workspace to do this.',
  },
  not_an_approver: {
    kind: 'forbidden',
    title: 'You are not an approver',
    remedy: 'Ask a member of the groups in `approvers` of the approval to decide.',
  },
  automation_key: {
    kind: 'forbidden',
    title: 'The key may not decide',
    remedy: 'Let a person decide: in the console, or with a key that was created without `automation`.',
  },
  draft_secret_forbidden: {
    kind: 'forbidden',
    title: 'The draft uses what the key may not',
    remedy: 'Remove it from the definition, mock the tool of a granted agent, or use a key without `agents`.',
  },
  self_approval_forbidden: {
    kind: 'forbidden',
    title: 'You cannot approve your own run',
    remedy: 'Ask another approver.',
  },
  test_key_production_mode: {
    kind: 'forbidden',
    title: 'A test key cannot cause effects in production',
    remedy: 'Use a live key, or start the run in mode `test`.',
  },
  not_found: {
    kind: 'not_found',
    title: 'Not found',
    remedy: 'Check the URL and the ids. Resources of other workspaces are not found either.',
  },
  method_not_allowed: {
    kind: 'method_not_allowed',
    title: 'Method not allowed',
    remedy: 'Use a method that the `Allow` header of the response lists.',
  },
  not_acceptable: { kind: 'not_acceptable', title: 'Not acceptable', remedy: 'Send `Accept: application/json`.' },
  gate_failed: {
    kind: 'conflict',
    title: 'The evaluation gate failed',
    remedy: 'Correct the definition. Then create, evaluate and promote a new version.',
  },
  gate_inconclusive: {
    kind: 'conflict',
    title: 'The evaluation is inconclusive',
    remedy: 'Evaluate the version with more trials or cases.',
  },
  evaluation_required: {
    kind: 'conflict',
    title: 'An evaluation is required',
    remedy: 'Evaluate the version before you promote it.',
  },
  evaluation_in_progress: {
    kind: 'conflict',
    title: 'An evaluation is in progress',
    remedy: 'Wait until the evaluation has finished, or cancel it.',
  },
  run_not_cancellable: {
    kind: 'conflict',
    title: 'The run has already ended',
    remedy: 'No action is needed: the run has ended and cannot be cancelled any more.',
  },
  approval_already_decided: {
    kind: 'conflict',
    title: 'The approval is already decided',
    remedy: 'Read the approval to see its decision.',
  },
  agent_paused: { kind: 'conflict', title: 'The agent is paused', remedy: 'Resume the agent.' },
  agent_archived: { kind: 'conflict', title: 'The agent is archived', remedy: 'Use another agent.' },
  workspace_stopped: {
    kind: 'conflict',
    title: 'The workspace is stopped',
    remedy: 'Wait until an admin ends the emergency stop.',
  },
  callback_closed: {
    kind: 'gone',
    title: 'The callback is closed',
    remedy: 'Do not send the call again. A callback accepts one call, before it expires and before its run ends.',
  },
  idempotency_in_progress: {
    kind: 'conflict',
    title: 'A request with this idempotency key is in progress',
    remedy: 'Wait until the first request has its response, then send the request again.',
  },
  file_in_use: {
    kind: 'conflict',
    title: 'The file is in use',
    remedy: 'Delete the file when the runs that use it have ended.',
  },
  file_deleted: {
    kind: 'gone',
    title: 'The file is deleted',
    remedy: 'Upload the file again. A deleted or expired file cannot be restored.',
  },
  file_missing: {
    kind: 'gone',
    title: 'The bytes of the file are missing',
    remedy: 'Upload the file again, and report its id to the operator.',
  },
  last_admin: {
    kind: 'conflict',
    title: 'The workspace needs an admin',
    remedy: 'Make another member an admin first.',
  },
  endpoint_disabled: { kind: 'conflict', title: 'The endpoint is disabled', remedy: 'Enable the endpoint first.' },
  limit_reached: {
    kind: 'conflict',
    title: 'The limit is reached',
    remedy: 'Delete resources that are no longer needed, or ask the operator to raise the limit.',
  },
  name_taken: { kind: 'conflict', title: 'The name is taken', remedy: 'Choose another name.' },
  precondition_failed: {
    kind: 'precondition_failed',
    title: 'The resource has changed',
    remedy: 'Read the resource again and repeat the change with its new `ETag`.',
  },
  payload_too_large: {
    kind: 'too_large',
    title: 'The body is too large',
    remedy: 'Send a smaller body. `detail` names the limit.',
  },
  file_too_large: {
    kind: 'too_large',
    title: 'The file is too large',
    remedy: 'Send a smaller file. `limit_bytes` is the limit.',
  },
  range_not_satisfiable: {
    kind: 'range_not_satisfiable',
    title: 'The range is outside of the file',
    remedy: 'Request a range below the size in `Content-Range`.',
  },
  unsupported_media_type: {
    kind: 'unsupported_media_type',
    title: 'Unsupported media type',
    remedy: 'Send a content type that the operation accepts.',
  },
  definition_invalid: {
    kind: 'unprocessable',
    title: 'The definition is not valid',
    remedy: 'Correct the places that `errors` lists.',
  },
  input_invalid: {
    kind: 'unprocessable',
    title: 'The input is not valid',
    remedy: 'Correct the places that `errors` lists. The definition of the agent contains the schema.',
  },
  idempotency_key_reused: {
    kind: 'unprocessable',
    title: 'The idempotency key was used for another request',
    remedy: 'Use a new idempotency key for each distinct request.',
  },
  file_refused: {
    kind: 'unprocessable',
    title: 'The file was rejected',
    remedy: 'Do not send this file. The scanner of the installation has rejected it.',
  },
  oauth_required: {
    kind: 'unprocessable',
    title: 'A person must authorise the source in a browser',
    remedy: 'Open `authorize_url` of this error in a browser, or add the source in the console.',
  },
  unknown_reference: {
    kind: 'unprocessable',
    title: 'A reference is unknown',
    remedy: 'Create the resource that `errors` names, or correct its name.',
  },
  rate_limited: {
    kind: 'limited',
    title: 'Too many requests',
    remedy: 'Wait for the number of seconds in `Retry-After`, then repeat the request.',
  },
  budget_exceeded: {
    kind: 'limited',
    title: 'The budget is used up',
    remedy: 'Wait until the next period of the budget, or raise the budget.',
  },
  file_quota_exceeded: {
    kind: 'limited',
    title: 'The files of the workspace are too large',
    remedy: 'Delete files, or ask the operator to raise WORKSPACE_FILE_BYTES.',
  },
  run_failed: {
    kind: 'failed',
    title: 'The run failed',
    remedy: 'Read the run that `run` names to see its error.',
  },
  internal_error: { kind: 'internal', title: 'Internal error', remedy: 'Report the `request_id` to the operator.' },
  unavailable: {
    kind: 'unavailable',
    title: 'Temporarily unavailable',
    remedy: 'Wait for the number of seconds in `Retry-After`, then repeat the request.',
  },
} as const satisfies Record<string, { kind: ErrorKind; title: string; remedy: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;
