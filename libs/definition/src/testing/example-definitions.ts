/** A model-driven definition with every section of the format that is allowed without `steps`. */
export const REFUND_DESK = `\
schema: agent/v1                 # optional: the only value today
name: refund-desk                # ^[a-z0-9][a-z0-9-]{0,62}$
description: Answers refund e-mails and issues refunds within policy.
labels: { team: support }

input:                           # JSON Schema 2020-12; run input is validated against it
  type: object
  required: [from, subject, body]
  properties: { from: { type: string, format: email }, subject: { type: string }, body: { type: string } }
output:                          # JSON Schema; the final answer must validate (one repair turn, then failed/output_invalid)
  type: object
  required: [resolution]
  properties: { resolution: { enum: [refunded, denied, answered] }, reply: { type: string } }

model:                           # "anthropic/claude-sonnet-5-5" is accepted too
  provider: anthropic            # a provider profile of the installation: anthropic, openai, or any OpenAI-compatible base_url (Ollama, vLLM, llama.cpp)
  name: claude-sonnet-5-5
  fallback: [{ provider: openai, name: gpt-6.1-terra }]
  params: { temperature: 0, max_output_tokens: 4000 }
instructions: |
  You handle refund requests. Look the order up first. Quote the policy passage you rely on.

knowledge:
  - base: refund-policy                   # id or unique name; the agent must hold a grant
    mode: tool                   # tool: the model asks | always: retrieved before the first turn
    top_k: 6
    citations: required          # required | optional | off

tools:
  - name: orders
    type: http
    base_url: https://orders.example/api
    auth: { type: bearer, token: "\${{ secrets.ORDERS_TOKEN }}" }     # bearer | basic | header
    operations:
      - name: get                # called orders.get in traces and policies
        description: Fetch one order
        method: GET
        path: /orders/{order_id}
        scope: read              # GET and HEAD default to read, all else to write
        request: { type: object, required: [order_id], properties: { order_id: { type: string } } }
      - name: refund
        description: Refund part or all of an order
        method: POST
        path: /orders/{order_id}/refunds
        effect: idempotent       # read | idempotent | at_most_once (what a write is by default)
        idempotency: { header: Idempotency-Key }      # the service sends one stable key per logical call
        reconcile:               # how to learn the truth after a crash in the middle of a call
          operation: get
          with: { order_id: "\${{ request.order_id }}" }
          applied_if: 'response.body.refunds.exists(r, r.key == call.key)'
        request: { type: object, required: [order_id, amount], properties: { order_id: { type: string }, amount: { type: number, exclusiveMinimum: 0 } } }
        timeout: 20s
        simulate: { refund_id: re_simulated }         # what mode: test answers
  - name: crm
    type: openapi
    spec: { url: "https://crm.example/openapi.json", sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" }    # pinned: drift is an error, not a surprise
    include: [getCustomer, addNote]
  - name: mail
    type: mcp
    transport: streamable_http   # streamable_http | stdio (stdio only where the operator enables it)
    url: https://mcp-mail.example/mcp
    include: [send_reply]        # an allow-list is mandatory; what has no annotation is a write
    overrides: { send_reply: { effect: at_most_once } }
  - name: notify
    type: email                  # sends through the installation's SMTP relay
    to: ["ops@example.com"]

policies:                        # evaluated before EVERY tool call, MCP included; deny > require_approval > allow
  - name: big-refund
    when: 'tool.name == "orders.refund" && request.amount > 100.0'
    action: require_approval
    approval: finance
  - name: only-the-sender
    when: 'tool.name == "mail.send_reply" && request.to != input.from'
    action: deny
    message: Replies go to the original sender only.
policy_defaults: { read: allow, write: allow, on_error: require_approval }

approvals:
  finance: { approvers: [finance-leads], required: 1, self_approval: false, timeout: 24h, on_timeout: hand_off, on_reject: continue, show: [request.order_id, request.amount] }

triggers:
  - { id: inbox, type: email.received, mailbox: refunds@example.com, filter: '!email.auto_submitted', map: { from: "\${{ email.from }}", subject: "\${{ email.subject }}", body: "\${{ email.text }}" } }
  - { id: hook, type: webhook, filter: 'body.kind == "refund"', map: { from: "\${{ body.customer_email }}", subject: "\${{ body.title }}", body: "\${{ body.text }}" } }
  - { id: morning, type: schedule, cron: "0 7 * * 1-5", timezone: Europe/Berlin, overlap: skip, catch_up: last, input: { from: ops@example.com, subject: sweep, body: "" } }

limits: { max_steps: 30, max_duration: 10m, max_wait: 72h, queue_ttl: 1h, budget: { per_run: "0.50", per_day: "25.00", currency: EUR, on_exceeded: fail } }
concurrency: { max: 10, key: "\${{ input.from }}", max_per_key: 1, on_conflict: queue }
retry: { max_attempts: 3, backoff: exponential, initial: 2s, max: 1m, retry_on: [provider_error, provider_rate_limited, timeout] }   # never for at_most_once calls
hand_off: { to: [support-tier2] }
redact: { paths: [input.body] }

evaluation:
  trials: 3
  cases:
    - name: small refund needs no approval
      input: { from: a@x.com, subject: "Refund 1001", body: "40 EUR please" }
      mock: { orders.get: { total: 40 } }
      assert:
        - { type: status, value: succeeded }
        - { type: tool_called, value: orders.refund, with: 'request.amount == 40.0', times: 1 }
        - { type: cel, value: 'output.resolution == "refunded"' }
    - name: big refund stops for finance
      tags: [safety]
      input: { from: a@x.com, subject: "Refund 1002", body: "900 EUR now" }
      mock: { orders.get: { total: 900 } }
      assert: [{ type: approval_requested, value: big-refund }, { type: not_tool_called, value: orders.refund }]
  from_runs: { status: succeeded, sample: 100, max_age: 30d }     # recorded runs replayed with recorded reads and simulated writes
  gate:
    min_pass_rate: 0.90
    confidence: 0.95             # the one-sided Wilson lower bound must reach min_pass_rate; too few samples: inconclusive, which blocks
    must_pass: { tags: [safety] }
    max_regressions: 0           # against the production version, on the same cases
    max_cost_increase: 0.25
    max_age: 7d
`;

/** A definition without a model: a plan with most kinds of steps. */
export const INVOICE_ROUTER = `\
name: invoice-router
tools:
  - name: erp
    type: http
    base_url: https://erp.example
    operations:
      - { name: get_invoice, method: GET, path: "/invoices/{id}" }
      - { name: post_invoice, method: POST, path: "/invoices/{id}/post", effect: idempotent, idempotency: { header: Idempotency-Key } }
approvals:
  ap: { approvers: [accounts-payable], required: 2, timeout: 48h, on_timeout: fail }
steps:
  - id: policy
    retrieve: { base: invoice-policy, query: "limit for \${{ input.vendor }}", top_k: 3 }
  - id: invoice
    tool: erp.get_invoice
    with: { id: "\${{ input.invoice_id }}" }
    retry: { max_attempts: 4, backoff: exponential, initial: 1s, max: 30s }
  - id: sums
    let: { net: "\${{ steps.invoice.output.total - steps.invoice.output.tax }}" }
  - id: route
    switch:
      - when: steps.invoice.output.vendor.blocked
        steps:
          - { id: stop, hand_off: { to: [accounts-payable], reason: Vendor is blocked } }
      - when: steps.sums.output.net > 10000.0
        steps:
          - { id: sign, approval: ap, show: [steps.invoice.output.vendor.name, steps.sums.output.net] }
  - id: lines
    for_each: "\${{ steps.invoice.output.lines }}"
    as: line
    max_parallel: 4
    steps: [{ id: check, assert: "line.quantity * line.unit_price == line.amount" }]
  - id: post
    tool: erp.post_invoice
    with: { id: "\${{ input.invoice_id }}" }
  - id: pause
    wait: { for: 5m }
  - id: result
    output: { posted: true, net: "\${{ steps.sums.output.net }}" }
on_failure:
  - { id: alarm, tool: notify.send, with: { subject: "invoice \${{ input.invoice_id }} failed", text: "\${{ error.message }}" } }
`;
