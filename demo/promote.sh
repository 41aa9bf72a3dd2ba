#!/usr/bin/env bash
# Promotes the demo CRM from dev to staging to prod, with two people, and rolls one page back. Run it, or paste it into
# a terminal, any number of times. Needs bash, curl, sed and grep, and a Keelson started by `npm start`.
# The parentheses run it in a subshell, so that a failure does not end your terminal.
(
set -euo pipefail
trap '[[ $? -eq 0 ]] || printf "Stopped. The last answer: %s\n" "$answer" >&2' EXIT
answer=none
BASE=${KEELSON_URL:-http://localhost:6443}
PASSWORD=${KEELSON_PASSWORD:-keelson-demo-1}

# first KEY JSON: the first value of that key, without jq.
first() { local pattern="\"$1\":\"?([^\",}]*)"; [[ $2 =~ $pattern ]] && printf '%s' "${BASH_REMATCH[1]}"; }
# id_of CODE JSON: the numeric id of an environment.
id_of() { [[ $2 =~ \"id\":([0-9]+),\"code\":\"$1\" ]] && printf '%s' "${BASH_REMATCH[1]}"; }
heading() { printf '\n== %s\n' "$*"; }
# Type, code and versions of the resources in a diff or a plan.
resources() {
  local pattern='"resourceType":"[A-Z0-9_]*","pid":"[^"]*","code":"[^"]*",("action":"[A-Z]*",)?"sourceVersion":[^,]*,"targetVersion":[^,]*'
  grep -oE "$pattern" <<<"$1" | sed -E 's/"resourceType":"([^"]*)".*"code":"([^"]*)".*"sourceVersion":([^,]*),"targetVersion":(.*)/   \1 \2: \4 -> \3/; s/null/none/g' \
    || echo '   no differences'
}

# Two people: `admin` and `approver` are each a `curl` with a token. curl waits for the rate limit of log-ins.
login() { curl -sS --retry 3 --fail-with-body "$BASE/api/auth/login" -H 'Content-Type: application/json' -d "{\"email\":\"$1\",\"password\":\"$PASSWORD\"}"; }
answer=$(login admin@acme.example)
TOKEN=$(first jwt "$answer")
answer=$(login approver@acme.example)
OTHER=$(first jwt "$answer")
admin=(curl -sS --retry 3 --fail-with-body -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json')
approver=(curl -sS --retry 3 --fail-with-body -H "Authorization: Bearer $OTHER" -H 'Content-Type: application/json')

# The seven steps of a promotion, of everything that differs.
seven_steps() {
  local source=$1 target=$2 source_id target_id pid status
  heading "$source -> $target, step 1: list the environments"
  answer=$("${admin[@]}" "$BASE/api/admin/environments")
  grep -oE '"id":[0-9]+,"code":"[a-z]+","name":"[^"]*","writePolicy":"[a-z_]+","locked":(true|false)' <<<"$answer"
  source_id=$(id_of "$source" "$answer")
  target_id=$(id_of "$target" "$answer")

  heading "$source -> $target, step 2: export the source (read-only)"
  answer=$("${admin[@]}" -X POST "$BASE/api/admin/environments/$source/export")
  echo "   ${#answer} bytes, checksum $(first checksum "$answer")"

  heading "$source -> $target, step 3: diff source against target (read-only)"
  resources "$("${admin[@]}" "$BASE/api/admin/environments/diff?source=$source&target=$target")"

  heading "$source -> $target, step 4: lock the target"
  answer=$("${admin[@]}" "$BASE/api/admin/environments/$target/lock" -d '{"reason":"the demo is being promoted"}')
  echo "   locked: $(first locked "$answer"), because: $(first lockReason "$answer")"

  heading "$source -> $target, step 5: create a promotion"
  answer=$("${admin[@]}" "$BASE/api/admin/promotions" -d "{\"sourceEnvId\":$source_id,\"targetEnvId\":$target_id,\"units\":\"*\"}")
  pid=$(first pid "$answer")
  echo "   $pid is $(first status "$answer")"

  heading "$source -> $target, step 6: validate it"
  answer=$("${admin[@]}" -X POST "$BASE/api/admin/promotions/$pid/validate")
  status=$(first status "$answer")
  echo "   $pid is $status"
  if [[ $status != VALIDATED ]]; then echo "$answer"; return 1; fi
  resources "$answer"

  heading "$source -> $target, step 7: apply it, with the approval of a second person"
  echo '   alone, admin is refused:'
  "${admin[@]}" "$BASE/api/admin/promotions/$pid/apply" -d '{"reason":"the demo"}' 2>/dev/null || true
  echo; echo '   approver agrees, admin applies:'
  answer=$("${approver[@]}" "$BASE/api/admin/promotions/$pid/approve" -d '{"comment":"looks good"}')
  answer=$("${admin[@]}" "$BASE/api/admin/promotions/$pid/apply" -d '{"reason":"the demo"}')
  echo "   $pid is $(first status "$answer")"

  heading "$source -> $target, afterwards: no difference, and the target is UP"
  resources "$("${admin[@]}" "$BASE/api/admin/environments/diff?source=$source&target=$target")"
  echo "   health: $(first status "$(curl -sS --fail-with-body "$BASE/actuator/health")")"
  answer=$("${admin[@]}" "$BASE/api/admin/environments/$target/unlock" -d '{"reason":"the demo is promoted"}')
}

# The version of the page `tasks` that an environment has.
tasks() { echo "   $1 has version $(first version "$("${admin[@]}" -H "X-Environment: $1" "$BASE/api/meta/resources?resourceType=PAGE_SCHEMA&code=tasks")") of the page tasks"; }

seven_steps dev staging
seven_steps staging prod

heading 'A change: a designer saves the page tasks in dev'
CHANGED='{"name":"Tasks of '$(date +%H:%M:%S)'","modelCode":"task","columns":["subject","status","due_on"]}'
answer=$("${admin[@]}" "$BASE/api/meta/commands/execute/meta:save" -d "{\"payload\":{\"resourceType\":\"PAGE_SCHEMA\",\"code\":\"tasks\",\"content\":$CHANGED}}")
PAGE=$(first pid "$answer")
tasks dev

heading 'It is promoted to staging: there, unlocked, one person is enough'
answer=$("${admin[@]}" "$BASE/api/admin/environments")
DEV=$(id_of dev "$answer")
STAGING=$(id_of staging "$answer")
answer=$("${admin[@]}" "$BASE/api/admin/promotions" -d "{\"sourceEnvId\":$DEV,\"targetEnvId\":$STAGING,\"units\":[{\"resourceType\":\"PAGE_SCHEMA\",\"resourcePid\":\"$PAGE\"}]}")
PROMOTION=$(first pid "$answer")
answer=$("${admin[@]}" -X POST "$BASE/api/admin/promotions/$PROMOTION/validate")
resources "$answer"
answer=$("${admin[@]}" "$BASE/api/admin/promotions/$PROMOTION/apply" -d '{"reason":"a new look"}')
tasks staging

heading 'It is rolled back: the inverse promotion goes the same way'
answer=$("${admin[@]}" -X POST "$BASE/api/admin/promotions/$PROMOTION/rollback")
INVERSE=$(first pid "$answer")
answer=$("${admin[@]}" -X POST "$BASE/api/admin/promotions/$INVERSE/validate")
resources "$answer"
answer=$("${admin[@]}" "$BASE/api/admin/promotions/$INVERSE/apply" -d '{"reason":"back to the old page"}')
tasks staging

heading 'Who did what, and why: the audit trail of the two promotions of the page'
for pid in "$INVERSE" "$PROMOTION"; do
  answer=$("${admin[@]}" "$BASE/api/admin/audit?target=$pid")
  grep -oE '"at":"[^"]*"|"username":"[^"]*"|"action":"[a-z.]*"|"reason":"[^"]*"' <<<"$answer" | paste -sd ' ' - | sed -E 's/ "at"/\n"at"/g'
done
"${admin[@]}" "$BASE/api/admin/audit/verify"
echo
)
