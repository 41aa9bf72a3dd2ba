import {
  apply as applyFiles,
  drift,
  init,
  lint,
  pull,
  reset,
  rollback,
  test,
  types,
  watch,
} from './commands/application.mjs';
import { audit } from './commands/audit.mjs';
import { diff } from './commands/diff.mjs';
import { environments, lock, policy, unlock } from './commands/environments.mjs';
import { dropFields, fields } from './commands/fields.mjs';
import { completion } from './commands/completion.mjs';
import { login, logout } from './commands/login.mjs';
import { logs } from './commands/logs.mjs';
import { open } from './commands/open.mjs';
import { create, rollback as rollbackPromotion } from './commands/promotion-create.mjs';
import {
  apply,
  approve,
  cancel,
  list as listPromotions,
  reject,
  showCommand,
  validate,
} from './commands/promotion-requests.mjs';
import { get, history, list, run } from './commands/records.mjs';
import { removeSecret, secrets, setSecret } from './commands/secrets.mjs';
import { whoami } from './commands/whoami.mjs';
import { listDeliveries, resendDeliveries, showDelivery } from './commands/deliveries.mjs';
import { exportCommand, importCommand } from './commands/exports.mjs';
import { createKey, listKeys, revokeKey } from './commands/keys.mjs';
import { exportRecords, importRecords } from './commands/record-files.mjs';
import {
  approveRun,
  cancelRun,
  listApprovals,
  listRuns,
  rejectRun,
  retryRun,
  showRun,
  startRun,
  watchRun,
} from './commands/runs.mjs';
import { uninstall } from './commands/uninstall.mjs';
import { addUser, disableUser, enableUser, listUsers } from './commands/users.mjs';
import {
  addWebhook,
  disableWebhook,
  enableWebhook,
  listWebhooks,
  rotateWebhook,
  showWebhook,
  testWebhook,
} from './commands/webhooks.mjs';

/** All commands by their names of one word or two.
 * @type {Record<string, import('./command-line.mjs').Command>} */
export const COMMANDS = {
  init,
  pull,
  lint,
  diff,
  apply: applyFiles,
  watch,
  test,
  drift,
  rollback,
  reset,
  types,
  'promotion create': create,
  'promotion validate': validate,
  'promotion approve': approve,
  'promotion reject': reject,
  'promotion cancel': cancel,
  'promotion apply': apply,
  'promotion rollback': rollbackPromotion,
  'promotion list': listPromotions,
  'promotion show': showCommand,
  environments,
  lock,
  unlock,
  policy,
  'fields list': fields,
  'fields drop': dropFields,
  secrets,
  'set-secret': setSecret,
  'remove-secret': removeSecret,
  list,
  get,
  history,
  run,
  'records import': importRecords,
  'records export': exportRecords,
  'runs list': listRuns,
  'runs show': showRun,
  'runs start': startRun,
  'runs watch': watchRun,
  'runs approvals': listApprovals,
  'runs approve': approveRun,
  'runs reject': rejectRun,
  'runs cancel': cancelRun,
  'runs retry': retryRun,
  'webhooks list': listWebhooks,
  'webhooks add': addWebhook,
  'webhooks show': showWebhook,
  'webhooks test': testWebhook,
  'webhooks rotate': rotateWebhook,
  'webhooks enable': enableWebhook,
  'webhooks disable': disableWebhook,
  'deliveries list': listDeliveries,
  'deliveries show': showDelivery,
  'deliveries resend': resendDeliveries,
  'users list': listUsers,
  'users add': addUser,
  'users disable': disableUser,
  'users enable': enableUser,
  'keys list': listKeys,
  'keys create': createKey,
  'keys revoke': revokeKey,
  export: exportCommand,
  import: importCommand,
  audit,
  logs,
  open,
  login,
  logout,
  whoami,
  uninstall,
  completion,
};
